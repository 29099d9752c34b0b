//! The language registry: detects the language of a file by its name, and defines how that language is parsed.
//!
//! There is one file per language with a grammar, and one table ([`text`]) for those without. No other code in the
//! workspace knows the extensions, node kinds or naming conventions of a language.

mod bash;
mod c;
mod c_family;
mod c_macros;
mod components;
mod cpp;
mod csharp;
mod css;
mod dart;
mod ecmascript;
mod elixir;
mod go;
mod haskell;
mod html;
mod java;
mod javascript;
mod json;
mod kotlin;
mod language;
mod lua;
mod markdown;
mod notebook;
mod package;
mod php;
mod python;
mod r;
mod ruby;
mod rust;
mod sass;
mod scala;
mod sql;
mod swift;
mod syntax;
mod text;
mod toml;
mod typescript;
mod yaml;
mod zig;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use vectorcode_core::{DefinitionKind, LanguageTraits, ModuleSystem};

pub(crate) use components::PartLanguages;
pub use language::Language;
pub(crate) use language::{ComponentLayout, Structure};
pub(crate) use syntax::{
    Callee, FoundDefinition, Labeler, Local, Meaning, NameRole, Rule, Syntax, Table, slice,
};

/// Languages with their own structure, most used first.
static STRUCTURED: &[&Language] = &[
    &typescript::TYPESCRIPT,
    &typescript::TSX,
    &javascript::LANGUAGE,
    &python::LANGUAGE,
    &rust::LANGUAGE,
    &go::LANGUAGE,
    &java::LANGUAGE,
    &csharp::LANGUAGE,
    &c::LANGUAGE,
    &cpp::LANGUAGE,
    &cpp::HEADER,
    &ruby::LANGUAGE,
    &swift::LANGUAGE,
    &kotlin::LANGUAGE,
    &php::LANGUAGE,
    &scala::LANGUAGE,
    &bash::LANGUAGE,
    &lua::LANGUAGE,
    &elixir::LANGUAGE,
    &haskell::LANGUAGE,
    &zig::LANGUAGE,
    &dart::LANGUAGE,
    &r::LANGUAGE,
    &html::LANGUAGE,
    &css::LANGUAGE,
    &json::LANGUAGE,
    &yaml::LANGUAGE,
    &toml::LANGUAGE,
    &markdown::LANGUAGE,
    &sql::LANGUAGE,
    &components::VUE,
    &components::SVELTE,
    &components::ASTRO,
    &notebook::LANGUAGE,
    &sass::SCSS,
    &sass::LESS,
    &sass::STYLUS,
];

/// Languages with a grammar come first, then those read as text. The first language to list an extension gets it.
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::build);

struct Registry {
    languages: Vec<&'static Language>,
    by_extension: HashMap<&'static str, &'static Language>,
    by_file_name: HashMap<&'static str, &'static Language>,
    by_name: HashMap<&'static str, &'static Language>,
    by_interpreter: HashMap<&'static str, &'static Language>,
    folder_stems: HashSet<&'static str>,
    reexport_files: HashSet<&'static str>,
    /// Templates of each language, under that language's name. They are chunked by lines, because a template cannot be parsed
    /// in its language.
    templates: HashMap<&'static str, Language>,
}

impl Registry {
    fn build() -> Self {
        let languages: Vec<_> = STRUCTURED.iter().copied().chain(text::LANGUAGES).collect();
        let mut by_extension = HashMap::new();
        let mut by_file_name = HashMap::new();
        let mut by_interpreter = HashMap::new();
        for &language in &languages {
            for extension in language.extensions {
                by_extension.entry(*extension).or_insert(language);
            }
            for name in language.file_names {
                by_file_name.entry(*name).or_insert(language);
            }
            by_interpreter.extend(language.interpreters.iter().map(|name| (*name, language)));
        }
        let template = |language: &&'static Language| {
            let Language { name, title, class, traits, .. } = **language;
            (name, Language { name, title, class, traits, ..Language::PLAIN })
        };
        Self {
            by_name: languages.iter().map(|&language| (language.name, language)).collect(),
            folder_stems: languages
                .iter()
                .flat_map(|language| language.traits.folder_stems)
                .copied()
                .collect(),
            reexport_files: languages.iter().flat_map(|language| language.reexport_files).copied().collect(),
            templates: languages.iter().map(template).collect(),
            languages,
            by_extension,
            by_file_name,
            by_interpreter,
        }
    }
}

/// All languages, those with a grammar first.
pub fn all() -> impl Iterator<Item = &'static Language> {
    REGISTRY.languages.iter().copied()
}

/// The kinds of definitions that a syntax node of this kind creates in any language. Empty if that depends on its content.
pub fn definitions_by(node_kind: &str) -> Vec<DefinitionKind> {
    let trees = STRUCTURED.iter().filter_map(|language| match language.structure {
        Structure::Tree(syntax) => Some(syntax),
        _ => None,
    });
    let mut kinds: Vec<DefinitionKind> = trees.flat_map(|syntax| syntax.definitions_by(node_kind)).collect();
    // The same node inside a type defines a method.
    if kinds.contains(&DefinitionKind::Function) {
        kinds.push(DefinitionKind::Method);
    }
    kinds
}

/// The language with this name. Case is ignored.
pub fn by_name(name: &str) -> Option<&'static Language> {
    let exact = REGISTRY.by_name.get(name).copied();
    exact.or_else(|| REGISTRY.by_name.get(name.to_ascii_lowercase().as_str()).copied())
}

/// The language that a user means by `name`: its name, title (`C++`), an alias (`golang`) or an extension (`ts`).
pub fn by_any_name(name: &str) -> Option<&'static Language> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    let by_other_name =
        || all().find(|language| is(language.title) || language.aliases.iter().any(|alias| is(alias)));
    let by_extension = || REGISTRY.by_extension.get(name.to_ascii_lowercase().as_str()).copied();
    by_name(name).or_else(by_other_name).or_else(by_extension)
}

/// Whether files of other languages may also contain this one ([`shared_with`]).
pub fn may_share(language: &Language) -> bool {
    all().any(|shared| shared.shared_by.contains(&language.name))
}

/// The languages whose files also belong to this one, in a project with files of the languages `indexed`. Headers belong to
/// whichever of C and C++ the project is written in, and to both if it is written in both or in neither.
pub fn shared_with(language: &Language, indexed: &[String]) -> impl Iterator<Item = &'static Language> {
    let is_indexed = |name: &str| indexed.iter().any(|known| known == name);
    all().filter(move |shared| {
        let may_be = shared.shared_by.contains(&language.name) && is_indexed(shared.name);
        may_be && (is_indexed(language.name) || !shared.shared_by.iter().any(|other| is_indexed(other)))
    })
}

/// The language of plain text.
pub(crate) fn plain_text() -> Option<&'static Language> {
    by_name(text::PLAIN_TEXT)
}

/// The language of notebooks that do not specify one.
pub(crate) fn default_kernel() -> &'static Language {
    &python::LANGUAGE
}

/// The language of text of unknown type.
pub(crate) fn other_text() -> Option<&'static Language> {
    by_name(text::OTHER_TEXT)
}

/// The language of scripts that are run by this interpreter.
pub(crate) fn by_interpreter(name: &str) -> Option<&'static Language> {
    REGISTRY.by_interpreter.get(name).copied()
}

/// The traits of a language that the graph needs. An unknown language gets the permissive ones.
pub fn traits_of(name: &str) -> LanguageTraits {
    by_name(name).map_or(LanguageTraits::PERMISSIVE, |language| language.traits)
}

/// Whether a word with this extension is always a file name. See [`Language`].
pub fn is_distinct_extension(extension: &str) -> bool {
    REGISTRY.by_extension.get(extension).is_some_and(|language| language.has_distinct_extensions)
}

/// Whether some language uses this stem for the file that represents its folder: `mod`, `__init__`.
pub fn is_folder_stem(stem: &str) -> bool {
    REGISTRY.folder_stems.contains(stem)
}

/// Whether files with this name usually re-export what other files define: `index.ts`.
pub fn is_reexport_file(file_name: &str) -> bool {
    REGISTRY.reexport_files.contains(file_name)
}

/// Whether a file with this name only declares what another file defines: `client.d.ts`.
pub fn is_declaration_file(file_name: &str) -> bool {
    all().flat_map(|language| language.declaration_endings).any(|ending| file_name.ends_with(ending))
}

/// Whether a file with this name is a header: `client.h`.
pub fn is_header(file_name: &str) -> bool {
    let extension = file_name.rsplit_once('.').map_or("", |(_, extension)| extension);
    by_path(file_name).is_some_and(|language| language.traits.header_extensions.contains(&extension))
}

/// Whether a file with this name is a web page or a style sheet.
pub fn is_web_page(file_name: &str) -> bool {
    by_path(file_name).is_some_and(|language| language.traits.module_system == Some(ModuleSystem::Web))
}

/// The language of a file: first by its full name, then by its extension.
pub fn by_path(path: &str) -> Option<&'static Language> {
    let file_name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if let Some(language) = REGISTRY.by_file_name.get(file_name) {
        return Some(language);
    }
    let (stem, extension) = file_name.rsplit_once('.')?;
    let language = match REGISTRY.by_extension.get(extension) {
        Some(language) => language,
        None => REGISTRY.by_extension.get(extension.to_ascii_lowercase().as_str())?,
    };
    if language.name == text::TEMPLATE
        && let Some(inner) = by_path(stem)
    {
        return REGISTRY.templates.get(inner.name);
    }
    Some(language)
}
