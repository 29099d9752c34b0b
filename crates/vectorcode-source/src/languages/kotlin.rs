//! Kotlin.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, Definition, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem,
};

use super::language::{Language, Structure};
use super::package::{Clauses, top_level_names};
use super::syntax::{
    FoundDefinition, Rule, Syntax, child_of_kind, first_child_callee, has_keyword, import, renamed, slice,
    whole,
};

pub static LANGUAGE: Language = Language {
    name: "kotlin",
    title: "Kotlin",
    class: ContentClass::Code,
    extensions: &["kt", "kts"],
    interpreters: &["kotlin"],
    test_files: &["*Test.kt", "*Tests.kt", "*Spec.kt"],
    traits: LanguageTraits {
        module_system: Some(ModuleSystem::Jvm),
        shares_definitions: true,
        needs_no_import: true,
        ..LanguageTraits::CLASS_BASED
    },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::KOTLIN,
    &[
        ("class_declaration", Rule::DefineBy(class)),
        ("object_declaration", Rule::DefineBy(object)),
        ("companion_object", Rule::DefineBy(companion)),
        ("function_declaration", Rule::DefineBy(function)),
        ("secondary_constructor", Rule::DefineBy(constructor)),
        ("property_declaration", Rule::DefineBy(property)),
        ("type_alias", Rule::DefineBy(type_alias)),
        ("lambda_literal", Rule::Anonymous),
        ("anonymous_function", Rule::Anonymous),
        ("line_comment", Rule::Lead),
        ("block_comment", Rule::Lead),
        ("call_expression", Rule::CallBy(first_child_callee)),
        ("user_type", Rule::TypeRegion),
        ("identifier", Rule::TypeName),
        ("import", Rule::Import(import_header)),
        ("string_content", Rule::Skip),
    ],
)
.with_test_marks(&["@Test", "@ParameterizedTest"])
.with_bases(&[("delegation_specifiers", whole)], &[("type_arguments", ""), ("value_arguments", "")])
.with_file_importer(packages);

fn packages(root: Node<'_>, text: &str, definitions: &[Definition]) -> Vec<Import> {
    const CLAUSES: Clauses = Clauses {
        kinds: &["package_header"],
        names: &["qualified_identifier"],
        bodies: &[],
        separator: ".",
        chained: false,
    };
    CLAUSES.find(root, text, &top_level_names(definitions))
}

/// The grammar has no `body` field.
fn body_of(node: Node<'_>) -> Option<usize> {
    child_of_kind(node, &["class_body", "enum_class_body", "function_body"]).map(|body| body.start_byte())
}

fn class<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("name")?;
    let kind = match () {
        () if has_keyword(node, name, "interface", text) => Kind::Interface,
        () if has_keyword(node, name, "enum", text) => Kind::Enum,
        () => Kind::Class,
    };
    Some(FoundDefinition { body: body_of(node), ..FoundDefinition::new(kind, name, text) })
}

fn object<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("name")?;
    Some(FoundDefinition { body: body_of(node), ..FoundDefinition::new(Kind::Class, name, text) })
}

/// Members of a companion object belong to the enclosing class.
fn companion<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node
        .child_by_field_name("name")
        .or_else(|| node.children(&mut node.walk()).find(|child| child.kind() == "companion"))?;
    Some(FoundDefinition { body: body_of(node), ..FoundDefinition::scope(name, text) })
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("name")?;
    let receiver =
        child_of_kind(node, &["user_type"]).filter(|receiver| receiver.end_byte() < name.start_byte());
    let within = receiver.and_then(|receiver| receiver.named_child(0)).map(|receiver| slice(receiver, text));
    Some(FoundDefinition { within, body: body_of(node), ..FoundDefinition::new(Kind::Function, name, text) })
}

fn constructor<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let keyword = node.children(&mut node.walk()).find(|child| child.kind() == "constructor")?;
    Some(FoundDefinition::new(Kind::Method, keyword, text))
}

fn property<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = child_of_kind(node, &["variable_declaration"])?.named_child(0)?;
    let constant = !slice(name, text).contains(char::is_lowercase);
    Some(FoundDefinition::new(if constant { Kind::Constant } else { Kind::Variable }, name, text))
}

fn type_alias<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition::new(Kind::Type, node.child_by_field_name("type")?, text))
}

/// `import a.b.C as D` and `import a.b.*`.
fn import_header(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let Some(path) = child_of_kind(node, &["qualified_identifier"]) else { return };
    let path_text = slice(path, text);
    let alias = child_of_kind(node, &["identifier"]).map(|alias| slice(alias, text));
    let all = slice(node, text).trim_end().ends_with('*');
    let name = path_text.rsplit('.').next().unwrap_or(path_text);
    let name = if all { "*".to_owned() } else { renamed(alias.unwrap_or(name), name) };
    imports.push(Import { names: vec![name], ..import(node, "import", path_text) });
}
