//! JSON, including comments.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind};

use super::language::{Language, Structure};
use super::syntax::{FoundDefinition, Rule, Syntax, slice, unquoted};

pub static LANGUAGE: Language = Language {
    name: "json",
    title: "JSON",
    class: ContentClass::Config,
    extensions: &["json", "jsonc", "json5", "webmanifest", "geojson"],
    file_names: &[".babelrc", ".eslintrc", ".prettierrc", ".swcrc"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::JSON,
    &[
        ("object", Rule::Transparent),
        ("pair", Rule::DefineBy(pair)),
        ("comment", Rule::Lead),
        ("string", Rule::Skip),
        ("array", Rule::Skip),
    ],
);

fn pair<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let key = node.child_by_field_name("key")?;
    Some(FoundDefinition {
        name: unquoted(slice(key, text)),
        ..FoundDefinition::new(Kind::Section, key, text)
    })
}
