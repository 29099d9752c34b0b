//! The list of grammars, and where their sources are in their crates.

use tree_sitter_language::LanguageFn;

pub struct Entry {
    /// The name that the grammar uses for itself, as in `tree_sitter_bash`.
    pub name: &'static str,
    pub package: &'static str,
    /// The folder of `parser.c` in the package.
    pub folder: &'static str,
    /// `None` when the grammar's feature is off.
    pub language: Option<LanguageFn>,
}

macro_rules! catalogue {
    ($($feature:literal: $name:literal in $package:literal / $folder:literal = $language:expr;)*) => {
        pub static CATALOGUE: &[Entry] = &[$(Entry {
            name: $name,
            package: $package,
            folder: $folder,
            #[cfg(feature = $feature)]
            language: Some($language),
            #[cfg(not(feature = $feature))]
            language: None,
        }),*];
    };
}

catalogue! {
    "bash": "bash" in "tree-sitter-bash" / "src" = tree_sitter_bash::LANGUAGE;
    "c": "c" in "tree-sitter-c" / "src" = tree_sitter_c::LANGUAGE;
    "csharp": "c_sharp" in "tree-sitter-c-sharp" / "src" = tree_sitter_c_sharp::LANGUAGE;
    "cpp": "cpp" in "tree-sitter-cpp" / "src" = tree_sitter_cpp::LANGUAGE;
    "css": "css" in "tree-sitter-css" / "src" = tree_sitter_css::LANGUAGE;
    "dart": "dart" in "tree-sitter-dart" / "src" = tree_sitter_dart::LANGUAGE;
    "elixir": "elixir" in "tree-sitter-elixir" / "src" = tree_sitter_elixir::LANGUAGE;
    "go": "go" in "tree-sitter-go" / "src" = tree_sitter_go::LANGUAGE;
    "haskell": "haskell" in "tree-sitter-haskell" / "src" = tree_sitter_haskell::LANGUAGE;
    "html": "html" in "tree-sitter-html" / "src" = tree_sitter_html::LANGUAGE;
    "java": "java" in "tree-sitter-java" / "src" = tree_sitter_java::LANGUAGE;
    "javascript": "javascript" in "tree-sitter-javascript" / "src" = tree_sitter_javascript::LANGUAGE;
    "json": "json" in "tree-sitter-json" / "src" = tree_sitter_json::LANGUAGE;
    "kotlin": "kotlin" in "tree-sitter-kotlin-ng" / "src" = tree_sitter_kotlin_ng::LANGUAGE;
    "lua": "lua" in "tree-sitter-lua" / "src" = tree_sitter_lua::LANGUAGE;
    "php": "php" in "tree-sitter-php" / "php/src" = tree_sitter_php::LANGUAGE_PHP;
    "python": "python" in "tree-sitter-python" / "src" = tree_sitter_python::LANGUAGE;
    "r": "r" in "tree-sitter-r" / "src" = tree_sitter_r::LANGUAGE;
    "ruby": "ruby" in "tree-sitter-ruby" / "src" = tree_sitter_ruby::LANGUAGE;
    "rust": "rust" in "tree-sitter-rust" / "src" = tree_sitter_rust::LANGUAGE;
    "scala": "scala" in "tree-sitter-scala" / "src" = tree_sitter_scala::LANGUAGE;
    "sql": "sql" in "tree-sitter-sequel" / "src" = tree_sitter_sequel::LANGUAGE;
    "swift": "swift" in "tree-sitter-swift" / "src" = tree_sitter_swift::LANGUAGE;
    "toml": "toml" in "tree-sitter-toml-ng" / "src" = tree_sitter_toml_ng::LANGUAGE;
    "typescript": "typescript" in "tree-sitter-typescript" / "typescript/src" = tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
    "typescript": "tsx" in "tree-sitter-typescript" / "tsx/src" = tree_sitter_typescript::LANGUAGE_TSX;
    "yaml": "yaml" in "tree-sitter-yaml" / "src" = tree_sitter_yaml::LANGUAGE;
    "zig": "zig" in "tree-sitter-zig" / "src" = tree_sitter_zig::LANGUAGE;
}
