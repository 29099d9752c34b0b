//! Bash and other shells of its family.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind, LanguageTraits, ModuleSystem};

use super::language::{Language, Structure};
use super::syntax::{Callee, Meaning, Rule, Syntax, field_text, import, unquoted};

pub static LANGUAGE: Language = Language {
    name: "bash",
    title: "Bash",
    class: ContentClass::Code,
    extensions: &["sh", "bash", "zsh", "ksh", "bats"],
    interpreters: &["sh", "bash", "zsh", "ksh", "dash", "ash", "bats"],
    file_names: &[".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", "PKGBUILD", "bashrc"],
    test_files: &["*_test.sh", "test_*.sh", "*.bats"],
    traits: LanguageTraits { module_system: Some(ModuleSystem::Shell), ..LanguageTraits::PERMISSIVE },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::BASH,
    &[
        ("function_definition", Rule::Define(Kind::Function)),
        ("variable_assignment", Rule::Define(Kind::Variable)),
        ("declaration_command", Rule::Group),
        ("comment", Rule::Lead),
        ("command", Rule::Decide(command)),
        ("heredoc_body", Rule::Skip),
        ("string_content", Rule::Skip),
    ],
);

fn command<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let Some(name) = field_text(node, "name", text) else { return Meaning::Nothing };
    match name {
        "source" | "." => field_text(node, "argument", text)
            .map_or(Meaning::Nothing, |path| Meaning::Import(vec![import(node, "source", unquoted(path))])),
        name if name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.')) => {
            Meaning::Call(Callee { name, receiver: None })
        }
        _ => Meaning::Nothing,
    }
}
