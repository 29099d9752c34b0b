//! Lua.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind};

use super::language::{Language, Structure};
use super::syntax::{
    Callee, Found, Meaning, Rule, Syntax, child_of_kind, field_text, grammar, import, slice, unquoted,
};

pub static LANGUAGE: Language = Language {
    name: "lua",
    title: "Lua",
    class: ContentClass::Code,
    extensions: &["lua", "rockspec"],
    test_files: &["*_spec.lua", "*_test.lua", "test_*.lua"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    grammar!("lua", tree_sitter_lua::LANGUAGE),
    &[
        ("function_declaration", Rule::DefineBy(function)),
        ("assignment_statement", Rule::DefineBy(assignment)),
        ("field", Rule::DefineBy(function_field)),
        ("variable_declaration", Rule::Group),
        ("function_definition", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("function_call", Rule::Decide(call)),
        ("string", Rule::Skip),
    ],
);

/// A name that may be a path: `Retrier.new`, `Retrier:run`.
fn named<'t>(kind: Kind, name: Node<'t>, text: &'t str) -> Option<Found<'t>> {
    match name.kind() {
        "identifier" => Some(Found::new(kind, name, text)),
        "dot_index_expression" | "method_index_expression" => {
            let last = name.child_by_field_name("field").or_else(|| name.child_by_field_name("method"))?;
            Some(Found { within: field_text(name, "table", text), ..Found::new(kind, last, text) })
        }
        _ => None,
    }
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Option<Found<'t>> {
    named(Kind::Function, node.child_by_field_name("name")?, text)
}

/// `Retrier.reset = function() ... end`, or a plain variable.
fn assignment<'t>(node: Node<'t>, text: &'t str) -> Option<Found<'t>> {
    let name = child_of_kind(node, &["variable_list"])?.child_by_field_name("name")?;
    let value = child_of_kind(node, &["expression_list"])?.child_by_field_name("value");
    match value.filter(|value| value.kind() == "function_definition") {
        Some(function) => {
            let body = function.child_by_field_name("body").map(|body| body.start_byte());
            Some(Found { body, node_kind: Some(function.kind()), ..named(Kind::Function, name, text)? })
        }
        None if name.kind() == "identifier" => Some(Found::new(Kind::Variable, name, text)),
        None => None,
    }
}

/// A field of a table is a definition only when it is a function.
fn function_field<'t>(node: Node<'t>, text: &'t str) -> Option<Found<'t>> {
    let value = node.child_by_field_name("value").filter(|value| value.kind() == "function_definition")?;
    let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
    Some(Found { node_kind: Some(value.kind()), ..Found::new(Kind::Function, name, text) })
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let Some(callee) = field_text(node, "name", text) else { return Meaning::Nothing };
    let argument = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
    match argument.filter(|argument| callee == "require" && argument.kind() == "string") {
        Some(module) => Meaning::Import(vec![import(node, "require", unquoted(slice(module, text)))]),
        None => Meaning::call(Callee::parse(callee)),
    }
}
