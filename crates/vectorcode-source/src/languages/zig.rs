//! Zig.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem};

use super::language::{Language, Structure};
use super::syntax::{FoundDefinition, Meaning, Rule, Syntax, child_of_kind, import, slice, unquoted};

pub static LANGUAGE: Language = Language {
    name: "zig",
    title: "Zig",
    class: ContentClass::Code,
    extensions: &["zig", "zon"],
    test_files: &["*_test.zig", "test_*.zig"],
    traits: LanguageTraits { module_system: Some(ModuleSystem::Zig), ..LanguageTraits::EXPLICIT_IMPORTS },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::ZIG,
    &[
        ("function_declaration", Rule::Define(Kind::Function)),
        ("variable_declaration", Rule::Decide(variable)),
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

const CONTAINERS: &[&str] = &[
    "struct_declaration",
    "union_declaration",
    "enum_declaration",
    "opaque_declaration",
    "error_set_declaration",
];

/// Types are constants whose value is a container. Imports are constants too.
fn variable<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let Some(name) = child_of_kind(node, &["identifier"]) else { return Meaning::Nothing };
    if let Some(module) = imported(node, text) {
        let names = vec![slice(name, text).to_owned()];
        return Meaning::Import(vec![Import { names, ..import(node, "import", module) }]);
    }
    let found = FoundDefinition::new(Kind::Constant, name, text);
    let Some(container) = child_of_kind(node, CONTAINERS) else { return Meaning::Define(found) };
    let kind = match container.kind() {
        "enum_declaration" | "error_set_declaration" => Kind::Enum,
        _ => Kind::Struct,
    };
    Meaning::Define(FoundDefinition { kind: Some(kind), node_kind: Some(container.kind_id()), ..found })
}

/// The file of `const x = @import("file")` or `@import("file").Name`.
fn imported<'t>(declaration: Node<'_>, text: &'t str) -> Option<&'t str> {
    let mut value = declaration.named_child(declaration.named_child_count().checked_sub(1)? as u32)?;
    while let Some(object) = value.child_by_field_name("object") {
        value = object;
    }
    module_of(value, text)
}

/// The argument of `@import`.
fn module_of<'t>(builtin: Node<'_>, text: &'t str) -> Option<&'t str> {
    child_of_kind(builtin, &["builtin_identifier"]).filter(|name| slice(*name, text) == "@import")?;
    Some(unquoted(slice(child_of_kind(builtin, &["arguments"])?.named_child(0)?, text)))
}

/// `test "gives up" { ... }`: the sentence is the name.
fn test<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = child_of_kind(node, &["string", "identifier"])?;
    let body = child_of_kind(node, &["block"]).map(|block| block.start_byte());
    let found = FoundDefinition::new(Kind::Function, name, text);
    Some(FoundDefinition { name: unquoted(found.name), body, is_test: true, ..found })
}

fn builtin<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let module = module_of(node, text);
    module.map_or(Meaning::Nothing, |module| Meaning::Import(vec![import(node, "import", module)]))
}
