//! R.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind, LanguageTraits, ModuleSystem};

use super::language::{Language, Structure};
use super::syntax::{Callee, FoundDefinition, Meaning, Rule, Syntax, field_text, import, slice, unquoted};

pub static LANGUAGE: Language = Language {
    name: "r",
    title: "R",
    class: ContentClass::Code,
    extensions: &["r"],
    interpreters: &["Rscript"],
    file_names: &[".Rprofile"],
    test_files: &["test-*.R", "test-*.r", "test_*.R"],
    traits: LanguageTraits { module_system: Some(ModuleSystem::Shell), ..LanguageTraits::PERMISSIVE },
    has_distinct_extensions: false,
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::R,
    &[
        ("binary_operator", Rule::DefineBy(assignment)),
        ("function_definition", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("call", Rule::Decide(call)),
        ("string", Rule::Skip),
    ],
);

/// `name <- value`; other operators do not define anything.
fn assignment<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("lhs").filter(|name| name.kind() == "identifier")?;
    let value = node.child_by_field_name("rhs")?;
    let operator = text.get(name.end_byte()..value.start_byte())?.trim();
    if !matches!(operator, "<-" | "=" | "<<-") {
        return None;
    }
    if value.kind() != "function_definition" {
        return Some(FoundDefinition::new(Kind::Variable, name, text));
    }
    let body = value.child_by_field_name("body").map(|body| body.start_byte());
    Some(FoundDefinition {
        body,
        node_kind: Some(value.kind_id()),
        ..FoundDefinition::new(Kind::Function, name, text)
    })
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let Some(function) = node.child_by_field_name("function") else { return Meaning::Nothing };
    let name = slice(function, text);
    if matches!(name, "library" | "require" | "source" | "requireNamespace") {
        let argument = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
        if let Some(module) = argument.and_then(|argument| field_text(argument, "value", text)) {
            return Meaning::Import(vec![import(
                node,
                if name == "source" { "source" } else { "import" },
                unquoted(module),
            )]);
        }
    }
    // Dots are part of names: `is.null` is a single name.
    match (function.kind(), field_text(function, "lhs", text), field_text(function, "rhs", text)) {
        ("identifier", _, _) => Meaning::Call(Callee { name, receiver: None }),
        (_, Some(receiver), Some(name)) => Meaning::Call(Callee { name, receiver: Some(receiver) }),
        _ => Meaning::Nothing,
    }
}
