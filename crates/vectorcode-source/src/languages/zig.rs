//! Zig.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind};

use super::language::{Language, Structure};
use super::syntax::{Found, Meaning, Rule, Syntax, child_of_kind, grammar, import, slice, unquoted};

pub static LANGUAGE: Language = Language {
    name: "zig",
    title: "Zig",
    class: ContentClass::Code,
    extensions: &["zig", "zon"],
    test_files: &["*_test.zig", "test_*.zig"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    grammar!("zig", tree_sitter_zig::LANGUAGE),
    &[
        ("function_declaration", Rule::Define(Kind::Function)),
        ("variable_declaration", Rule::DefineBy(variable)),
        ("container_field", Rule::Define(Kind::Field)),
        ("test_declaration", Rule::DefineBy(test)),
        ("comment", Rule::Lead),
        ("call_expression", Rule::Call("function")),
        ("builtin_function", Rule::Decide(builtin)),
        ("parameter", Rule::TypeIn("type")),
        ("identifier", Rule::TypeName),
        ("string_content", Rule::Skip),
    ],
)
.with_type_fields(&["type"]);

/// Types are constants whose value is a container.
fn variable<'t>(node: Node<'t>, text: &'t str) -> Option<Found<'t>> {
    let name = child_of_kind(node, &["identifier"])?;
    let containers = [
        "struct_declaration",
        "union_declaration",
        "enum_declaration",
        "opaque_declaration",
        "error_set_declaration",
    ];
    let Some(container) = child_of_kind(node, &containers) else {
        return Some(Found::new(Kind::Constant, name, text));
    };
    let kind = match container.kind() {
        "enum_declaration" | "error_set_declaration" => Kind::Enum,
        _ => Kind::Struct,
    };
    Some(Found { node_kind: Some(container.kind()), ..Found::new(kind, name, text) })
}

/// `test "gives up" { ... }`: the sentence is the name.
fn test<'t>(node: Node<'t>, text: &'t str) -> Option<Found<'t>> {
    let name = child_of_kind(node, &["string", "identifier"])?;
    let body = child_of_kind(node, &["block"]).map(|block| block.start_byte());
    let found = Found::new(Kind::Function, name, text);
    Some(Found { name: unquoted(found.name), body, is_test: true, ..found })
}

fn builtin<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let is_import =
        child_of_kind(node, &["builtin_identifier"]).is_some_and(|name| slice(name, text) == "@import");
    let path = child_of_kind(node, &["arguments"])
        .filter(|_| is_import)
        .and_then(|arguments| arguments.named_child(0));
    path.map_or(Meaning::Nothing, |path| {
        Meaning::Import(vec![import(node, "import", unquoted(slice(path, text)))])
    })
}
