//! Swift.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem};

use super::language::{Language, Structure};
use super::syntax::{
    FoundDefinition, Local, Rule, Syntax, child_of_kind, first_child_callee, has_keyword, import, slice,
    whole,
};

pub static LANGUAGE: Language = Language {
    name: "swift",
    title: "Swift",
    class: ContentClass::Code,
    extensions: &["swift"],
    interpreters: &["swift"],
    test_files: &["*Tests.swift", "*Test.swift", "*Spec.swift"],
    traits: LanguageTraits {
        module_system: Some(ModuleSystem::Swift),
        imports_all: true,
        needs_no_import: true,
        ..LanguageTraits::CLASS_BASED
    },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::SWIFT,
    &[
        ("class_declaration", Rule::DefineBy(nominal)),
        ("protocol_declaration", Rule::Define(Kind::Interface)),
        ("function_declaration", Rule::Define(Kind::Function)),
        ("protocol_function_declaration", Rule::Define(Kind::Method)),
        ("init_declaration", Rule::DefineBy(initializer)),
        ("deinit_declaration", Rule::DefineBy(initializer)),
        ("subscript_declaration", Rule::DefineBy(initializer)),
        ("property_declaration", Rule::Define(Kind::Variable)),
        ("protocol_property_declaration", Rule::Define(Kind::Field)),
        ("typealias_declaration", Rule::Define(Kind::Type)),
        ("macro_declaration", Rule::Define(Kind::Macro)),
        ("lambda_literal", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("multiline_comment", Rule::Lead),
        ("call_expression", Rule::CallBy(first_child_callee)),
        ("type_identifier", Rule::Type),
        ("import_declaration", Rule::Import(import_declaration)),
        ("line_str_text", Rule::Skip),
    ],
)
.with_test_marks(&["@Test"])
.with_bases(&[("inheritance_specifier", whole)], &[("type_arguments", "")])
.with_locals(&[("property_declaration", Local::new("name", "", "value"))]);

/// Classes, structs, enums, actors and extensions share one node kind.
fn nominal<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("name")?;
    let kind = match () {
        () if has_keyword(node, name, "extension", text) => return Some(FoundDefinition::scope(name, text)),
        () if has_keyword(node, name, "struct", text) => Kind::Struct,
        () if has_keyword(node, name, "enum", text) => Kind::Enum,
        () => Kind::Class,
    };
    Some(FoundDefinition::new(kind, name, text))
}

/// `init`, `deinit` and `subscript` are their own names.
fn initializer<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let keyword = node
        .children(&mut node.walk())
        .find(|child| matches!(child.kind(), "init" | "deinit" | "subscript"))?;
    Some(FoundDefinition::new(Kind::Method, keyword, text))
}

fn import_declaration(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    imports
        .extend(child_of_kind(node, &["identifier"]).map(|name| import(node, "import", slice(name, text))));
}
