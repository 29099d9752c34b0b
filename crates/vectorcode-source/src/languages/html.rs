//! HTML.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, Import, LanguageTraits, ModuleSystem};

use super::language::{Language, Structure};
use super::syntax::{Rule, Syntax, child_of_kind, import, slice, unquoted};

pub static LANGUAGE: Language = Language {
    name: "html",
    title: "HTML",
    class: ContentClass::Code,
    extensions: &["html", "htm", "xhtml"],
    traits: LanguageTraits { module_system: Some(ModuleSystem::Web), ..LanguageTraits::PERMISSIVE },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::HTML,
    &[
        ("element", Rule::Block(id)),
        ("script_element", Rule::Block(id)),
        ("style_element", Rule::Block(id)),
        ("comment", Rule::Lead),
        ("start_tag", Rule::Import(linked_file)),
        ("self_closing_tag", Rule::Import(linked_file)),
        ("text", Rule::Skip),
    ],
);

/// The value of an attribute of a tag.
fn attribute<'t>(tag: Node<'_>, name: &str, text: &'t str) -> Option<&'t str> {
    tag.named_children(&mut tag.walk())
        .filter(|child| child.kind() == "attribute")
        .find(|child| child.named_child(0).is_some_and(|key| slice(key, text) == name))
        .and_then(|child| child.named_child(1))
        .map(|value| unquoted(slice(value, text)))
}

fn id<'t>(element: Node<'t>, text: &'t str) -> Option<&'t str> {
    attribute(child_of_kind(element, &["start_tag", "self_closing_tag"])?, "id", text)
}

/// `<script src>` and `<link href>`.
fn linked_file(tag: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let name = tag.named_child(0).map_or("", |name| slice(name, text));
    let file = match name {
        "script" => attribute(tag, "src", text),
        "link" => attribute(tag, "href", text),
        _ => None,
    };
    imports.extend(file.map(|file| import(tag, name, file)));
}
