//! YAML.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind};

use super::language::{Language, Structure};
use super::syntax::{FoundDefinition, Rule, Syntax, slice, unquoted};

pub static LANGUAGE: Language = Language {
    name: "yaml",
    title: "YAML",
    class: ContentClass::Config,
    extensions: &["yaml", "yml"],
    file_names: &[".clang-format", ".clang-tidy"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::YAML,
    &[
        ("document", Rule::Transparent),
        ("block_node", Rule::Transparent),
        ("block_mapping", Rule::Transparent),
        ("block_mapping_pair", Rule::DefineBy(pair)),
        ("block_sequence", Rule::Transparent),
        ("flow_node", Rule::Skip),
        ("comment", Rule::Lead),
    ],
);

fn pair<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let key = node.child_by_field_name("key")?;
    Some(FoundDefinition {
        name: unquoted(slice(key, text)),
        ..FoundDefinition::new(Kind::Section, key, text)
    })
}
