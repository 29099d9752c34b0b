//! Java.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, Definition, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem,
    ReferenceKind as Used, TypeAnnotation,
};

use super::language::{Language, Structure};
use super::package::{Clauses, top_level_names};
use super::syntax::{
    Callee, FoundDefinition, Local, NameRole, Rule, Syntax, child_of_kind, field_text, import, slice, whole,
};

pub static LANGUAGE: Language = Language {
    name: "java",
    title: "Java",
    class: ContentClass::Code,
    extensions: &["java"],
    test_files: &["*Test.java", "*Tests.java", "*IT.java", "Test*.java"],
    traits: LanguageTraits {
        module_system: Some(ModuleSystem::Jvm),
        shares_definitions: true,
        type_annotation: TypeAnnotation::Before,
        element_methods: "get iterator next orElse orElseThrow peek poll remove",
        builtin_methods: "accept add addAll and append apply applyAsDouble applyAsInt applyAsLong clear close compareTo \
            contains equals flush format get getAsDouble getAsInt getClass getKey getName getType getValue \
            hashCode isEmpty iterator length negate next or put read remove run set size test toString values \
            write",
        ..LanguageTraits::CLASS_BASED
    },
    reexport_files: &["package-info.java"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::JAVA,
    &[
        ("class_declaration", Rule::Define(Kind::Class)),
        ("record_declaration", Rule::Define(Kind::Class)),
        ("enum_declaration", Rule::Define(Kind::Enum)),
        ("interface_declaration", Rule::Define(Kind::Interface)),
        ("annotation_type_declaration", Rule::Define(Kind::Interface)),
        ("method_declaration", Rule::Define(Kind::Method)),
        ("constructor_declaration", Rule::Define(Kind::Method)),
        ("compact_constructor_declaration", Rule::Define(Kind::Method)),
        ("annotation_type_element_declaration", Rule::Define(Kind::Field)),
        ("field_declaration", Rule::DefineBy(field)),
        ("constant_declaration", Rule::DefineBy(field)),
        ("lambda_expression", Rule::Anonymous),
        ("line_comment", Rule::Lead),
        ("block_comment", Rule::Lead),
        ("method_invocation", Rule::CallBy(invocation)),
        ("object_creation_expression", Rule::Call("type")),
        ("type_identifier", Rule::Type),
        ("import_declaration", Rule::Import(import_declaration)),
        ("string_literal", Rule::Skip),
    ],
)
.with_test_marks(&["@Test", "@ParameterizedTest", "@RepeatedTest"])
.with_file_importer(packages)
.with_bases(
    &[("superclass", whole), ("super_interfaces", whole), ("extends_interfaces", whole)],
    &[("type_arguments", "")],
)
.with_name_roles(NAME_ROLES)
.with_locals(&[
    ("local_variable_declaration", Local::new("declarator", "type", "")),
    ("formal_parameter", Local::new("name", "type", "")),
    ("enhanced_for_statement", Local::new("name", "type", "")),
    ("instanceof_expression", Local::new("name", "right", "")),
    ("resource", Local::new("name", "type", "value")),
]);

/// The roles of names, by their position in the syntax.
pub(super) const NAME_ROLES: &[(&str, &str, NameRole)] = &[
    ("formal_parameter", "name", NameRole::Binding),
    ("spread_parameter", "", NameRole::Binding),
    ("variable_declarator", "name", NameRole::Binding),
    ("variable_declarator", "value", NameRole::Use(Used::Value)),
    ("enhanced_for_statement", "name", NameRole::Binding),
    ("catch_formal_parameter", "name", NameRole::Binding),
    ("inferred_parameters", "", NameRole::Binding),
    ("lambda_expression", "parameters", NameRole::Binding),
    ("resource", "name", NameRole::Binding),
    ("type_pattern", "", NameRole::Binding),
    ("instanceof_expression", "name", NameRole::Binding),
    ("assignment_expression", "left", NameRole::Use(Used::Write)),
    ("update_expression", "", NameRole::Use(Used::Write)),
    ("field_access", "object", NameRole::Use(Used::Value)),
    ("method_invocation", "object", NameRole::Use(Used::Value)),
    ("array_access", "", NameRole::Use(Used::Value)),
    ("argument_list", "", NameRole::Use(Used::Value)),
    ("type_arguments", "", NameRole::Use(Used::Type)),
    ("annotation", "name", NameRole::Use(Used::Decorator)),
    ("marker_annotation", "name", NameRole::Use(Used::Decorator)),
    ("element_value_pair", "key", NameRole::Key),
    ("class_declaration", "name", NameRole::Name),
    ("record_declaration", "name", NameRole::Name),
    ("enum_declaration", "name", NameRole::Name),
    ("interface_declaration", "name", NameRole::Name),
    ("annotation_type_declaration", "name", NameRole::Name),
    ("method_declaration", "name", NameRole::Name),
    ("constructor_declaration", "name", NameRole::Name),
    ("compact_constructor_declaration", "name", NameRole::Name),
    ("enum_constant", "name", NameRole::Name),
    ("labeled_statement", "", NameRole::Use(Used::Value)),
    ("block", "", NameRole::Use(Used::Value)),
];

fn packages(root: Node<'_>, text: &str, definitions: &[Definition]) -> Vec<Import> {
    const CLAUSES: Clauses = Clauses {
        kinds: &["package_declaration"],
        names: &["scoped_identifier", "identifier"],
        bodies: &[],
        separator: ".",
        chained: false,
    };
    CLAUSES.find(root, text, &top_level_names(definitions))
}

fn field<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("declarator")?.child_by_field_name("name")?;
    let constant = !slice(name, text).contains(char::is_lowercase);
    Some(FoundDefinition::new(if constant { Kind::Constant } else { Kind::Field }, name, text))
}

fn invocation<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    Some(Callee { name: field_text(node, "name", text)?, receiver: field_text(node, "object", text) })
}

/// `import a.b.C;` imports `C` from `a.b`; with an asterisk, all names.
fn import_declaration(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let Some(path) = child_of_kind(node, &["scoped_identifier", "identifier"]) else { return };
    let path = slice(path, text);
    let all = child_of_kind(node, &["asterisk"]).is_some();
    let name = if all { "*" } else { path.rsplit('.').next().unwrap_or(path) };
    imports.push(Import { names: vec![name.to_owned()], ..import(node, "import", path) });
}
