//! Lua.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem};

use super::language::{Language, Structure};
use super::syntax::{
    Callee, FoundDefinition, Meaning, Rule, Syntax, child_of_kind, field_text, import, slice, unquoted,
};

pub static LANGUAGE: Language = Language {
    name: "lua",
    title: "Lua",
    class: ContentClass::Code,
    extensions: &["lua", "rockspec"],
    interpreters: &["lua", "luajit"],
    test_files: &["*_spec.lua", "*_test.lua", "test_*.lua"],
    traits: LanguageTraits { module_system: Some(ModuleSystem::Lua), ..LanguageTraits::PERMISSIVE },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::LUA,
    &[
        ("function_declaration", Rule::DefineBy(function)),
        ("assignment_statement", Rule::Decide(assignment)),
        ("field", Rule::DefineBy(function_field)),
        ("variable_declaration", Rule::Group),
        ("function_definition", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("function_call", Rule::Decide(call)),
        ("string", Rule::Skip),
    ],
);

/// A name that may be a path: `Retrier.new`, `Retrier:run`.
fn named<'t>(kind: Kind, name: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    match name.kind() {
        "identifier" => Some(FoundDefinition::new(kind, name, text)),
        "dot_index_expression" | "method_index_expression" => {
            let last = name.child_by_field_name("field").or_else(|| name.child_by_field_name("method"))?;
            Some(FoundDefinition {
                within: field_text(name, "table", text),
                ..FoundDefinition::new(kind, last, text)
            })
        }
        _ => None,
    }
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    named(Kind::Function, node.child_by_field_name("name")?, text)
}

/// `Retrier.reset = function() ... end`, `local clock = require("clock")`, or a plain variable.
fn assignment<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let name = child_of_kind(node, &["variable_list"]).and_then(|list| list.child_by_field_name("name"));
    let value = child_of_kind(node, &["expression_list"]).and_then(|list| list.child_by_field_name("value"));
    let (Some(name), Some(value)) = (name, value) else { return Meaning::Nothing };
    if let Some(module) = required(value, text) {
        let names = vec![slice(name, text).to_owned()];
        return Meaning::Import(vec![Import { names, ..import(node, "require", module) }]);
    }
    match value.kind() {
        "function_definition" => {
            let body = value.child_by_field_name("body").map(|body| body.start_byte());
            let found = named(Kind::Function, name, text);
            Meaning::define(found.map(|found| FoundDefinition {
                body,
                node_kind: Some(value.kind_id()),
                ..found
            }))
        }
        _ if name.kind() == "identifier" => Meaning::Define(FoundDefinition::new(Kind::Variable, name, text)),
        _ => Meaning::Nothing,
    }
}

/// A field of a table is a definition only when it is a function.
fn function_field<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let value = node.child_by_field_name("value").filter(|value| value.kind() == "function_definition")?;
    let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
    Some(FoundDefinition {
        node_kind: Some(value.kind_id()),
        ..FoundDefinition::new(Kind::Function, name, text)
    })
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    match required(node, text) {
        Some(module) => Meaning::Import(vec![import(node, "require", module)]),
        None => Meaning::call(field_text(node, "name", text).and_then(Callee::parse)),
    }
}

/// The module of `require("x")` or `require "x"`.
fn required<'t>(call: Node<'_>, text: &'t str) -> Option<&'t str> {
    field_text(call, "name", text).filter(|name| *name == "require")?;
    let argument = call.child_by_field_name("arguments")?.named_child(0)?;
    (argument.kind() == "string").then(|| unquoted(slice(argument, text)))
}
