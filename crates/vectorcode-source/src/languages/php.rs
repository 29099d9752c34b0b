//! PHP.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, Definition, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem, TypeAnnotation,
};

use super::language::{Language, Structure};
use super::package::{Clauses, top_level_names};
use super::syntax::{
    Callee, FoundDefinition, Local, Meaning, Rule, Syntax, child_of_kind, field_text, import, renamed, slice,
    unquoted, whole,
};

pub static LANGUAGE: Language = Language {
    name: "php",
    title: "PHP",
    class: ContentClass::Code,
    extensions: &["php", "phtml"],
    interpreters: &["php"],
    test_files: &["*Test.php"],
    traits: LanguageTraits {
        module_system: Some(ModuleSystem::Php),
        shares_folder: true,
        type_annotation: TypeAnnotation::Before,
        base_class_names: &["parent"],
        ..LanguageTraits::PERMISSIVE
    },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::PHP,
    &[
        ("namespace_definition", Rule::DefineBy(namespace)),
        ("class_declaration", Rule::Define(Kind::Class)),
        ("interface_declaration", Rule::Define(Kind::Interface)),
        ("trait_declaration", Rule::Define(Kind::Trait)),
        ("enum_declaration", Rule::Define(Kind::Enum)),
        ("function_definition", Rule::Define(Kind::Function)),
        ("method_declaration", Rule::Define(Kind::Method)),
        ("const_element", Rule::DefineBy(constant)),
        ("property_element", Rule::DefineBy(property)),
        ("const_declaration", Rule::Group),
        ("property_declaration", Rule::Wrap),
        ("anonymous_function", Rule::Anonymous),
        ("arrow_function", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("function_call_expression", Rule::Call("function")),
        ("member_call_expression", Rule::CallBy(member_call)),
        ("nullsafe_member_call_expression", Rule::CallBy(member_call)),
        ("scoped_call_expression", Rule::CallBy(static_call)),
        ("object_creation_expression", Rule::CallBy(creation)),
        ("named_type", Rule::TypeRegion),
        ("name", Rule::TypeName),
        ("namespace_use_declaration", Rule::Import(use_declaration)),
        ("require_expression", Rule::Decide(require)),
        ("require_once_expression", Rule::Decide(require)),
        ("include_expression", Rule::Decide(require)),
        ("include_once_expression", Rule::Decide(require)),
        ("string_content", Rule::Skip),
    ],
)
.with_test_marks(&["#[Test]"])
.with_bases(&[("base_clause", whole), ("class_interface_clause", whole), ("use_declaration", whole)], &[])
.with_file_importer(packages)
.with_locals(&[
    ("assignment_expression", Local::new("left", "", "right")),
    ("simple_parameter", Local::new("name", "type", "")),
]);

fn packages(root: Node<'_>, text: &str, definitions: &[Definition]) -> Vec<Import> {
    const CLAUSES: Clauses = Clauses {
        kinds: &["namespace_definition"],
        names: &["namespace_name"],
        bodies: &[],
        separator: "\\",
        chained: false,
    };
    CLAUSES.find(root, text, &top_level_names(definitions))
}

/// `namespace A { ... }`. The form without a body applies to the whole file and is not a scope in it.
fn namespace<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    node.child_by_field_name("body")?;
    Some(FoundDefinition {
        qualifies: false,
        ..FoundDefinition::new(Kind::Module, node.child_by_field_name("name")?, text)
    })
}

fn constant<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition::new(Kind::Constant, node.named_child(0)?, text))
}

fn property<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition::new(Kind::Field, node.child_by_field_name("name")?.named_child(0)?, text))
}

fn member_call<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    let name = node.child_by_field_name("name").filter(|name| name.kind() == "name")?;
    Some(Callee { name: slice(name, text), receiver: field_text(node, "object", text) })
}

fn static_call<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    Some(Callee { name: field_text(node, "name", text)?, receiver: field_text(node, "scope", text) })
}

fn creation<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    let class = child_of_kind(node, &["name", "qualified_name"])?;
    let path = slice(class, text);
    let (receiver, name) = path.rsplit_once('\\').map_or((None, path), |(before, name)| (Some(before), name));
    Some(Callee { name, receiver })
}

/// `use A\B;`, `use A\B as C;` and `use A\{B, C as D};`.
fn use_declaration(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    if let Some(group) = node.child_by_field_name("body") {
        let prefix = child_of_kind(node, &["namespace_name"]).map_or("", |prefix| slice(prefix, text));
        let mut cursor = group.walk();
        for clause in group.named_children(&mut cursor) {
            let Some(path) = clause.named_child(0) else { continue };
            let path = format!("{prefix}\\{}", slice(path, text));
            imports.push(Import { names: vec![clause_name(clause, text)], ..import(node, "use", &path) });
        }
        return;
    }
    for clause in node.named_children(&mut node.walk()).filter(|child| child.kind() == "namespace_use_clause")
    {
        let Some(path) = clause.named_child(0) else { continue };
        let names = vec![clause_name(clause, text)];
        imports.push(Import { names, ..import(node, "use", slice(path, text)) });
    }
}

/// A `use` clause: the name in this file, and the name where it is defined.
fn clause_name(clause: Node<'_>, text: &str) -> String {
    let path = clause.named_child(0).map_or("", |path| slice(path, text));
    let name = path.rsplit('\\').next().unwrap_or(path);
    renamed(field_text(clause, "alias", text).unwrap_or(name), name)
}

/// `require __DIR__ . '/x.php'` means `./x.php`. For other expressions, only the string in them is known.
fn require<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let mut open = vec![node];
    while let Some(part) = open.pop() {
        if matches!(part.kind(), "string" | "encapsed_string") {
            let before = text.get(node.start_byte()..part.start_byte()).unwrap_or_default();
            let path = [directory(before), unquoted(slice(part, text))].concat();
            return Meaning::Import(vec![import(node, "require", &path)]);
        }
        let children: Vec<_> = part.named_children(&mut part.walk()).take(4).collect();
        open.extend(children.into_iter().rev());
    }
    Meaning::Nothing
}

/// The directory that an expression refers to, relative to the directory of the file.
fn directory(expression: &str) -> &'static str {
    match () {
        () if expression.contains("dirname(__DIR__, 2)") => "../..",
        () if expression.contains("dirname(__DIR__, 3)") => "../../..",
        () if expression.contains("dirname(__DIR__)") => "..",
        () if expression.contains("__DIR__") || expression.contains("dirname(__FILE__)") => ".",
        () => "",
    }
}
