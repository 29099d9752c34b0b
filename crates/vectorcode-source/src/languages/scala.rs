//! Scala.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, Definition, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem,
};

use super::language::{Language, Structure};
use super::package::{Clauses, top_level_names};
use super::syntax::{
    Callee, FoundDefinition, Local, Rule, Syntax, child_of_kind, field_text, import, renamed, slice, whole,
};

pub static LANGUAGE: Language = Language {
    name: "scala",
    title: "Scala",
    class: ContentClass::Code,
    extensions: &["scala", "sc", "sbt"],
    interpreters: &["scala", "amm", "scala-cli"],
    test_files: &["*Test.scala", "*Tests.scala", "*Spec.scala", "*Suite.scala"],
    traits: LanguageTraits {
        module_system: Some(ModuleSystem::Jvm),
        shares_definitions: true,
        imports_from_outer_packages: true,
        needs_no_import: true,
        ..LanguageTraits::CLASS_BASED
    },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::SCALA,
    &[
        ("class_definition", Rule::Define(Kind::Class)),
        ("object_definition", Rule::Define(Kind::Class)),
        ("package_object", Rule::Define(Kind::Module)),
        ("trait_definition", Rule::Define(Kind::Trait)),
        ("enum_definition", Rule::Define(Kind::Enum)),
        ("function_definition", Rule::Define(Kind::Function)),
        ("function_declaration", Rule::Define(Kind::Function)),
        ("given_definition", Rule::Define(Kind::Variable)),
        ("type_definition", Rule::Define(Kind::Type)),
        ("val_definition", Rule::DefineBy(value)),
        ("var_definition", Rule::DefineBy(value)),
        ("val_declaration", Rule::Define(Kind::Variable)),
        ("lambda_expression", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("block_comment", Rule::Lead),
        ("call_expression", Rule::Call("function")),
        ("instance_expression", Rule::CallBy(instance)),
        ("type_identifier", Rule::Type),
        ("import_declaration", Rule::Import(import_declaration)),
        ("string", Rule::Skip),
    ],
)
.with_bases(&[("extends_clause", whole)], &[("type_arguments", ""), ("arguments", "")])
.with_file_importer(packages)
.with_locals(&[
    ("val_definition", Local::new("pattern", "type", "value")),
    ("var_definition", Local::new("pattern", "type", "value")),
    ("parameter", Local::new("name", "type", "")),
]);

fn packages(root: Node<'_>, text: &str, definitions: &[Definition]) -> Vec<Import> {
    const CLAUSES: Clauses = Clauses {
        kinds: &["package_clause"],
        names: &["package_identifier"],
        bodies: &["template_body"],
        separator: ".",
        chained: true,
    };
    CLAUSES.find(root, text, &top_level_names(definitions))
}

fn value<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("pattern").filter(|pattern| pattern.kind() == "identifier")?;
    Some(FoundDefinition::new(Kind::Variable, name, text))
}

/// `new Retrier(gateway)`.
fn instance<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    Callee::parse(slice(child_of_kind(node, &["type_identifier", "stable_type_identifier"])?, text))
}

/// `import a.b.C`, `import a.b._` and `import a.b.{C, D => E}`.
fn import_declaration(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let segments: Vec<_> = node
        .children_by_field_name("path", &mut node.walk())
        .map(|segment| slice(segment, text))
        .filter(|segment| *segment != ".")
        .collect();
    let names = if let Some(selectors) = child_of_kind(node, &["namespace_selectors"]) {
        selectors.named_children(&mut selectors.walk()).map(|selector| selected(selector, text)).collect()
    } else if child_of_kind(node, &["namespace_wildcard"]).is_some() {
        vec!["*".to_owned()]
    } else {
        segments.last().map(|name| (*name).to_owned()).into_iter().collect()
    };
    imports.push(Import { names, ..import(node, "import", &segments.join(".")) });
}

fn selected(selector: Node<'_>, text: &str) -> String {
    match (field_text(selector, "alias", text), field_text(selector, "name", text)) {
        (Some(alias), Some(name)) => renamed(alias, name),
        _ if matches!(slice(selector, text), "_" | "*" | "given") => "*".to_owned(),
        _ => slice(selector, text).to_owned(),
    }
}
