//! Java.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, Definition, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem,
    ReferenceKind as Used, TypeAnnotation,
};

use super::language::{Language, Structure};
use super::package::{Clauses, top_level_names};
use super::syntax::{
    Callee, FoundDefinition, Local, Place, Rule, Syntax, child_of_kind, field_text, import, slice, whole,
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
.with_places(PLACES)
.with_locals(&[
    ("local_variable_declaration", Local::new("declarator", "type", "")),
    ("formal_parameter", Local::new("name", "type", "")),
    ("enhanced_for_statement", Local::new("name", "type", "")),
    ("instanceof_expression", Local::new("name", "right", "")),
    ("resource", Local::new("name", "type", "value")),
]);

/// The roles of names, by their position in the syntax.
pub(super) const PLACES: &[(&str, &str, Place)] = &[
    ("formal_parameter", "name", Place::Binding),
    ("spread_parameter", "", Place::Binding),
    ("variable_declarator", "name", Place::Binding),
    ("variable_declarator", "value", Place::Use(Used::Value)),
    ("enhanced_for_statement", "name", Place::Binding),
    ("catch_formal_parameter", "name", Place::Binding),
    ("inferred_parameters", "", Place::Binding),
    ("lambda_expression", "parameters", Place::Binding),
    ("resource", "name", Place::Binding),
    ("type_pattern", "", Place::Binding),
    ("instanceof_expression", "name", Place::Binding),
    ("assignment_expression", "left", Place::Use(Used::Write)),
    ("update_expression", "", Place::Use(Used::Write)),
    ("field_access", "object", Place::Use(Used::Value)),
    ("method_invocation", "object", Place::Use(Used::Value)),
    ("array_access", "", Place::Use(Used::Value)),
    ("argument_list", "", Place::Use(Used::Value)),
    ("type_arguments", "", Place::Use(Used::Type)),
    ("annotation", "name", Place::Use(Used::Decorator)),
    ("marker_annotation", "name", Place::Use(Used::Decorator)),
    ("element_value_pair", "key", Place::Key),
    ("class_declaration", "name", Place::Name),
    ("record_declaration", "name", Place::Name),
    ("enum_declaration", "name", Place::Name),
    ("interface_declaration", "name", Place::Name),
    ("annotation_type_declaration", "name", Place::Name),
    ("method_declaration", "name", Place::Name),
    ("constructor_declaration", "name", Place::Name),
    ("compact_constructor_declaration", "name", Place::Name),
    ("enum_constant", "name", Place::Name),
    ("labeled_statement", "", Place::Use(Used::Value)),
    ("block", "", Place::Use(Used::Value)),
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
