//! Go.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, Definition, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem,
    ReferenceKind as Used, TypeAnnotation,
};

use super::language::{Language, Structure};
use super::package::Clauses;
use super::syntax::{
    FoundDefinition, Local, NameRole, Rule, Syntax, child_of_kind, field_text, import, slice, unquoted, whole,
};

pub static LANGUAGE: Language = Language {
    name: "go",
    title: "Go",
    aliases: &["golang"],
    class: ContentClass::Code,
    extensions: &["go"],
    test_files: &["*_test.go"],
    test_names: &["Test", "Benchmark", "Fuzz", "Example"],
    traits: LanguageTraits {
        implicit_interfaces: true,
        module_system: Some(ModuleSystem::Go),
        shares_folder: true,
        type_annotation: TypeAnnotation::After,
        base_class_names: &[],
        builtin_methods: "Add Bytes Close Done Err Error Flush Get Header Len Load Lock Name Open Read Reset Run Seek Set Size \
            Stat Store String Sync Unlock Wait Write WriteString",
        ..LanguageTraits::EXPLICIT_IMPORTS
    },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::GO,
    &[
        ("function_declaration", Rule::Define(Kind::Function)),
        ("method_declaration", Rule::DefineBy(method)),
        ("method_elem", Rule::Define(Kind::Method)),
        ("type_spec", Rule::DefineBy(type_spec)),
        ("type_alias", Rule::Define(Kind::Type)),
        ("const_spec", Rule::Define(Kind::Constant)),
        ("var_spec", Rule::Define(Kind::Variable)),
        ("field_declaration", Rule::Define(Kind::Field)),
        ("type_declaration", Rule::Group),
        ("const_declaration", Rule::Group),
        ("var_declaration", Rule::Group),
        ("func_literal", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("call_expression", Rule::Call("function")),
        ("type_identifier", Rule::Type),
        ("import_spec", Rule::Import(import_spec)),
        ("interpreted_string_literal", Rule::Skip),
    ],
)
.with_file_importer(packages)
.with_bases(
    &[("field_declaration", embedded), ("interface_type", whole)],
    &[("type_arguments", ""), ("method_elem", "")],
)
.with_name_roles(NAME_ROLES)
.with_locals(&[
    ("short_var_declaration", Local::new("left", "", "right")),
    ("range_clause", Local::new("left", "", "right")),
    ("var_spec", Local::new("name", "type", "value")),
    ("parameter_declaration", Local::new("name", "type", "")),
]);

/// The type of an embedded field, whose methods the struct has too.
fn embedded<'t>(field: Node<'t>, _: &str) -> Option<Node<'t>> {
    field.child_by_field_name("type").filter(|_| field.child_by_field_name("name").is_none())
}

/// The roles of names, by their position in the syntax.
pub(super) const NAME_ROLES: &[(&str, &str, NameRole)] = &[
    ("parameter_declaration", "name", NameRole::Binding),
    ("variadic_parameter_declaration", "name", NameRole::Binding),
    ("short_var_declaration", "left", NameRole::Binding),
    ("var_spec", "name", NameRole::Binding),
    ("const_spec", "name", NameRole::Binding),
    ("range_clause", "left", NameRole::Binding),
    ("receive_statement", "left", NameRole::Binding),
    ("type_switch_statement", "alias", NameRole::Binding),
    ("assignment_statement", "left", NameRole::Use(Used::Write)),
    ("inc_statement", "", NameRole::Use(Used::Write)),
    ("dec_statement", "", NameRole::Use(Used::Write)),
    ("keyed_element", "key", NameRole::Use(Used::Write)),
    ("keyed_element", "value", NameRole::Use(Used::Value)),
    ("selector_expression", "operand", NameRole::Use(Used::Value)),
    ("index_expression", "", NameRole::Use(Used::Value)),
    ("composite_literal", "type", NameRole::Use(Used::Construction)),
    ("field_declaration", "name", NameRole::Name),
    ("function_declaration", "name", NameRole::Name),
    ("method_declaration", "name", NameRole::Name),
    ("method_elem", "name", NameRole::Name),
    ("type_spec", "name", NameRole::Name),
    ("type_alias", "name", NameRole::Name),
    ("label_name", "", NameRole::Name),
    ("package_clause", "", NameRole::Name),
    ("argument_list", "", NameRole::Use(Used::Value)),
    ("block", "", NameRole::Use(Used::Value)),
];

/// All files of a package are one unit, so the names in them do not matter here.
fn packages(root: Node<'_>, text: &str, _: &[Definition]) -> Vec<Import> {
    const CLAUSES: Clauses = Clauses {
        kinds: &["package_clause"],
        names: &["package_identifier"],
        bodies: &[],
        separator: "",
        chained: false,
    };
    CLAUSES.find(root, text, &[])
}

/// `func (s *Server) Run()` is `Server.Run`.
fn method<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let receiver = child_of_kind(node.child_by_field_name("receiver")?, &["parameter_declaration"]);
    let within = receiver
        .and_then(|receiver| field_text(receiver, "type", text))
        .map(|name| name.trim_start_matches('*').split('[').next().unwrap_or(name));
    Some(FoundDefinition {
        within,
        ..FoundDefinition::new(Kind::Method, node.child_by_field_name("name")?, text)
    })
}

fn type_spec<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let kind = match node.child_by_field_name("type")?.kind() {
        "struct_type" => Kind::Struct,
        "interface_type" => Kind::Interface,
        _ => Kind::Type,
    };
    Some(FoundDefinition::new(kind, node.child_by_field_name("name")?, text))
}

fn import_spec(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let Some(path) = node.child_by_field_name("path") else { return };
    let names = field_text(node, "name", text).map(|name| if name == "." { "*" } else { name }.to_owned());
    imports.push(Import {
        names: names.into_iter().collect(),
        ..import(node, "import", unquoted(slice(path, text)))
    });
}
