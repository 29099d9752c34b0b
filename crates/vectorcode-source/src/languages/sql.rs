//! SQL.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind};

use super::language::{Language, Structure};
use super::syntax::{FoundDefinition, Rule, Syntax, child_of_kind};

pub static LANGUAGE: Language = Language {
    name: "sql",
    title: "SQL",
    class: ContentClass::Code,
    extensions: &["sql", "psql", "ddl"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::SQL,
    &[
        ("statement", Rule::Wrap),
        ("create_table", Rule::DefineBy(table)),
        ("create_view", Rule::DefineBy(table)),
        ("create_materialized_view", Rule::DefineBy(table)),
        ("create_type", Rule::DefineBy(object_type)),
        ("create_function", Rule::DefineBy(function)),
        ("create_procedure", Rule::DefineBy(function)),
        ("create_trigger", Rule::DefineBy(function)),
        ("create_index", Rule::DefineBy(index)),
        ("create_schema", Rule::DefineBy(schema)),
        ("column_definition", Rule::Define(Kind::Field)),
        ("relation", Rule::TypeRegion),
        ("object_reference", Rule::TypeName),
        ("invocation", Rule::Descend),
        ("comment", Rule::Lead),
        ("marginalia", Rule::Lead),
    ],
);

fn named<'t>(kind: Kind, node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let reference = child_of_kind(node, &["object_reference"])?;
    Some(FoundDefinition::new(kind, reference.child_by_field_name("name").unwrap_or(reference), text))
}

fn table<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    named(Kind::Struct, node, text)
}

fn object_type<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    named(Kind::Type, node, text)
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    named(Kind::Function, node, text)
}

fn index<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition::new(Kind::Constant, node.child_by_field_name("column")?, text))
}

fn schema<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition::new(Kind::Module, child_of_kind(node, &["identifier"])?, text))
}
