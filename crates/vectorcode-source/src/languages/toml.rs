//! TOML.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind};

use super::language::{Language, Structure};
use super::syntax::{FoundDefinition, Rule, Syntax, child_of_kind};

pub static LANGUAGE: Language = Language {
    name: "toml",
    title: "TOML",
    class: ContentClass::Config,
    extensions: &["toml"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::TOML,
    &[
        ("table", Rule::DefineBy(table)),
        ("table_array_element", Rule::DefineBy(table)),
        ("pair", Rule::Skip),
        ("comment", Rule::Lead),
    ],
);

fn table<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let key = child_of_kind(node, &["bare_key", "dotted_key", "quoted_key"])?;
    Some(FoundDefinition::new(Kind::Section, key, text))
}
