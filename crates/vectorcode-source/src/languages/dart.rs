//! Dart.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem, TypeAnnotation,
};

use super::language::{Language, Structure};
use super::syntax::{
    FoundDefinition, Rule, Syntax, child_of_kind, field_text, import, slice, unquoted, whole,
};

pub static LANGUAGE: Language = Language {
    name: "dart",
    title: "Dart",
    class: ContentClass::Code,
    extensions: &["dart"],
    interpreters: &["dart"],
    test_files: &["*_test.dart"],
    traits: LanguageTraits {
        module_system: Some(ModuleSystem::Dart),
        implicit_self: true,
        imports_all: true,
        type_annotation: TypeAnnotation::Before,
        ..LanguageTraits::EXPLICIT_IMPORTS
    },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::DART,
    &[
        ("class_declaration", Rule::Define(Kind::Class)),
        ("mixin_declaration", Rule::Define(Kind::Trait)),
        ("extension_declaration", Rule::Define(Kind::Class)),
        ("extension_type_declaration", Rule::Define(Kind::Class)),
        ("enum_declaration", Rule::Define(Kind::Enum)),
        ("type_alias", Rule::DefineBy(type_alias)),
        ("function_declaration", Rule::DefineBy(function)),
        ("local_function_declaration", Rule::DefineBy(function)),
        ("method_declaration", Rule::DefineBy(function)),
        ("declaration", Rule::DefineBy(member)),
        ("top_level_variable_declaration", Rule::DefineBy(variable)),
        ("member_declaration", Rule::Wrap),
        ("function_expression", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("documentation_comment", Rule::Lead),
        ("call_expression", Rule::Call("function")),
        ("type_identifier", Rule::Type),
        ("library_import", Rule::Import(library_import)),
        ("library_export", Rule::Import(library_export)),
        ("part_directive", Rule::Import(part)),
    ],
)
.with_bases(&[("superclass", whole), ("interfaces", whole), ("mixins", whole)], &[("type_arguments", "")]);

/// The deepest name below a node, within a few levels of signatures and lists.
fn name_below(node: Node<'_>) -> Option<Node<'_>> {
    let mut open = vec![(node, 0)];
    while let Some((part, depth)) = open.pop() {
        if let Some(name) = part.children_by_field_name("name", &mut part.walk()).last() {
            return Some(name);
        }
        if depth < 3 {
            let children: Vec<_> = part.named_children(&mut part.walk()).collect();
            open.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
        }
    }
    None
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition::new(Kind::Function, name_below(node.child_by_field_name("signature")?)?, text))
}

/// A field, or a constructor without a body.
fn member<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let list = child_of_kind(node, &["initialized_identifier_list", "static_final_declaration_list"]);
    match list {
        Some(list) => Some(FoundDefinition::new(Kind::Field, name_below(list)?, text)),
        None => Some(FoundDefinition::new(Kind::Method, name_below(node)?, text)),
    }
}

fn variable<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let list = child_of_kind(node, &["static_final_declaration_list", "initialized_identifier_list"])?;
    Some(FoundDefinition::new(Kind::Variable, name_below(list)?, text))
}

fn type_alias<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition::new(Kind::Type, child_of_kind(node, &["type_identifier"])?, text))
}

fn library_import(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let Some(specification) = node.named_child(0) else { return };
    let Some(uri) = field_text(specification, "uri", text) else { return };
    let mut names: Vec<String> = Vec::new();
    for combinator in
        specification.named_children(&mut specification.walk()).filter(|c| c.kind() == "combinator")
    {
        if slice(combinator, text).starts_with("show") {
            names.extend(
                combinator.named_children(&mut combinator.walk()).map(|name| slice(name, text).to_owned()),
            );
        }
    }
    names.extend(field_text(specification, "alias", text).map(str::to_owned));
    imports.push(Import { names, ..import(node, "import", unquoted(uri)) });
}

fn library_export(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    imports.extend(field_text(node, "uri", text).map(|uri| import(node, "export", unquoted(uri))));
}

fn part(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    imports.extend(field_text(node, "uri", text).map(|uri| import(node, "part", unquoted(uri))));
}
