//! C#.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, Definition, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem, TypeAnnotation,
};

use super::language::{Language, Structure};
use super::package::{Clauses, top_level_names};
use super::syntax::{FoundDefinition, Local, Rule, Syntax, child_of_kind, field_text, import, slice, whole};

pub static LANGUAGE: Language = Language {
    name: "csharp",
    title: "C#",
    class: ContentClass::Code,
    extensions: &["cs", "csx"],
    test_files: &["*Test.cs", "*Tests.cs"],
    traits: LanguageTraits {
        reopens_types: true,
        module_system: Some(ModuleSystem::Csharp),
        imports_all: true,
        needs_no_import: true,
        type_annotation: TypeAnnotation::Before,
        base_class_names: &["base"],
        ..LanguageTraits::CLASS_BASED
    },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::C_SHARP,
    &[
        ("namespace_declaration", Rule::DefineBy(namespace)),
        ("class_declaration", Rule::Define(Kind::Class)),
        ("record_declaration", Rule::Define(Kind::Class)),
        ("struct_declaration", Rule::Define(Kind::Struct)),
        ("enum_declaration", Rule::Define(Kind::Enum)),
        ("interface_declaration", Rule::Define(Kind::Interface)),
        ("delegate_declaration", Rule::Define(Kind::Type)),
        ("method_declaration", Rule::Define(Kind::Method)),
        ("constructor_declaration", Rule::Define(Kind::Method)),
        ("destructor_declaration", Rule::Define(Kind::Method)),
        ("local_function_statement", Rule::Define(Kind::Function)),
        ("operator_declaration", Rule::DefineBy(operator)),
        ("property_declaration", Rule::Define(Kind::Field)),
        ("event_declaration", Rule::Define(Kind::Field)),
        ("field_declaration", Rule::DefineBy(field)),
        ("lambda_expression", Rule::Anonymous),
        ("anonymous_method_expression", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("invocation_expression", Rule::Call("function")),
        ("object_creation_expression", Rule::Call("type")),
        ("type_argument_list", Rule::TypeRegion),
        ("parameter", Rule::TypeIn("type")),
        ("variable_declaration", Rule::TypeIn("type")),
        ("identifier", Rule::TypeName),
        ("using_directive", Rule::Import(using_directive)),
        ("string_literal", Rule::Skip),
    ],
)
.with_type_fields(&["returns", "type"])
.with_bases(&[("base_list", whole)], &[("type_argument_list", ""), ("argument_list", "")])
.with_test_marks(&["[Fact", "[Theory", "[Test", "[TestMethod"])
.with_file_importer(packages)
.with_locals(&[
    ("variable_declaration", Local::new("", "type", "")),
    ("parameter", Local::new("name", "type", "")),
    ("foreach_statement", Local::new("left", "type", "")),
]);

fn packages(root: Node<'_>, text: &str, definitions: &[Definition]) -> Vec<Import> {
    const CLAUSES: Clauses = Clauses {
        kinds: &["namespace_declaration", "file_scoped_namespace_declaration"],
        names: &["identifier", "qualified_name"],
        bodies: &["declaration_list"],
        separator: ".",
        chained: false,
    };
    CLAUSES.find(root, text, &top_level_names(definitions))
}

/// Namespaces span whole files and programs: they are definitions, but do not qualify the names inside.
fn namespace<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition {
        qualifies: false,
        ..FoundDefinition::new(Kind::Module, node.child_by_field_name("name")?, text)
    })
}

fn operator<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition::new(Kind::Method, node.child_by_field_name("operator")?, text))
}

fn field<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let declaration = child_of_kind(node, &["variable_declaration"])?;
    let name = child_of_kind(declaration, &["variable_declarator"])?.child_by_field_name("name")?;
    Some(FoundDefinition::new(Kind::Field, name, text))
}

/// `using A.B;`, `using X = A.B;` and `using static A.B;`.
fn using_directive(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let alias = node.child_by_field_name("name");
    let module = node
        .named_children(&mut node.walk())
        .filter(|child| Some(*child) != alias)
        .find(|child| matches!(child.kind(), "identifier" | "qualified_name" | "alias_qualified_name"));
    if let Some(module) = module {
        let names = field_text(node, "name", text).map(str::to_owned).into_iter().collect();
        imports.push(Import { names, ..import(node, "import", slice(module, text)) });
    }
}
