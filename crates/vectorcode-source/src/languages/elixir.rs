//! Elixir, where definitions are macro calls.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, Definition, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem,
};

use super::language::{Language, Structure};
use super::syntax::{
    Callee, FoundDefinition, Meaning, Rule, Syntax, child_of_kind, field_text, import, renamed, slice,
    unquoted,
};

pub static LANGUAGE: Language = Language {
    name: "elixir",
    title: "Elixir",
    class: ContentClass::Code,
    extensions: &["ex", "exs"],
    interpreters: &["elixir"],
    test_files: &["*_test.exs", "test_helper.exs"],
    traits: LanguageTraits { module_system: Some(ModuleSystem::Elixir), ..LanguageTraits::PERMISSIVE },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::ELIXIR,
    &[
        ("call", Rule::Decide(call)),
        ("unary_operator", Rule::LeadOr(is_item_attribute, attribute)),
        ("anonymous_function", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("alias", Rule::Skip),
        ("string", Rule::Skip),
    ],
)
.with_joined_clauses()
.with_file_importer(packages);

/// The modules that a file defines. Other files can import nothing else from it.
fn packages(root: Node<'_>, _: &str, definitions: &[Definition]) -> Vec<Import> {
    let is_module = |definition: &&Definition| matches!(definition.kind, Kind::Module | Kind::Interface);
    let names: Vec<_> = definitions.iter().filter(is_module).map(|module| module.qualified.clone()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    vec![Import { names, ..import(root, "package", "") }]
}

/// Special forms and names of attributes, which look like calls.
const NOT_CALLED: &[&str] = &[
    "case",
    "cond",
    "if",
    "unless",
    "with",
    "for",
    "receive",
    "try",
    "quote",
    "unquote",
    "raise",
    "fn",
    "super",
    "defstruct",
    "moduledoc",
    "typedoc",
    "type",
    "typep",
    "opaque",
    "behaviour",
    "derive",
];

/// `@doc`, `@spec` and `@impl` belong to the function below them.
fn is_item_attribute(node: Node<'_>, text: &str) -> bool {
    let attribute = slice(node, text);
    ["@doc", "@spec", "@impl", "@deprecated", "@tag", "@since", "@callback"].iter().any(|name| {
        attribute
            .strip_prefix(name)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// `@max_attempts 5` is a constant, `@type outcome :: ...` a type.
fn attribute<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let Some(operand) = node.child_by_field_name("operand").filter(|operand| operand.kind() == "call") else {
        return Meaning::Nothing;
    };
    let Some(name) = operand.child_by_field_name("target") else { return Meaning::Nothing };
    match slice(name, text) {
        "moduledoc" | "typedoc" | "behaviour" | "derive" => Meaning::Nothing,
        "type" | "typep" | "opaque" => Meaning::define(type_of(operand, text)),
        _ => Meaning::Define(FoundDefinition::new(Kind::Constant, name, text)),
    }
}

/// The name in `type name(args) :: ...`.
fn type_of<'t>(operand: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let left = first_argument(operand)?.child_by_field_name("left")?;
    Some(FoundDefinition::new(Kind::Type, left.child_by_field_name("target").unwrap_or(left), text))
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let Some(target) = node.child_by_field_name("target") else { return Meaning::Nothing };
    let name = slice(target, text);
    match name {
        "def" | "defp" | "defdelegate" | "defguard" | "defguardp" | "defn" => {
            Meaning::define(function(node, Kind::Function, text))
        }
        "defmacro" | "defmacrop" => Meaning::define(function(node, Kind::Macro, text)),
        "defmodule" => Meaning::define(module(node, Kind::Module, text)),
        "defprotocol" => Meaning::define(module(node, Kind::Interface, text)),
        "defimpl" => Meaning::define(
            module(node, Kind::Module, text).map(|found| FoundDefinition { kind: None, ..found }),
        ),
        "test" | "describe" => Meaning::define(test(node, name == "describe", text)),
        "alias" | "import" | "use" | "require" => Meaning::Import(import_of(node, name, text)),
        _ if NOT_CALLED.contains(&name) => Meaning::Nothing,
        _ => Meaning::call(Callee::parse(name)),
    }
}

fn first_argument(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, &["arguments"])?.named_child(0)
}

fn body_of(node: Node<'_>) -> Option<usize> {
    child_of_kind(node, &["do_block"]).map(|block| block.start_byte())
}

/// The name in `def name(args) when guard do`.
fn function<'t>(node: Node<'t>, kind: Kind, text: &'t str) -> Option<FoundDefinition<'t>> {
    let mut head = first_argument(node)?;
    if head.kind() == "binary_operator" {
        head = head.child_by_field_name("left")?;
    }
    let name = if head.kind() == "call" { head.child_by_field_name("target")? } else { head };
    Some(FoundDefinition { body: body_of(node), ..FoundDefinition::new(kind, name, text) })
}

fn module<'t>(node: Node<'t>, kind: Kind, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = first_argument(node).filter(|name| name.kind() == "alias")?;
    Some(FoundDefinition { body: body_of(node), ..FoundDefinition::new(kind, name, text) })
}

/// `test "gives up" do`: the sentence is the name.
fn test<'t>(node: Node<'t>, is_group: bool, text: &'t str) -> Option<FoundDefinition<'t>> {
    let title = first_argument(node).filter(|title| title.kind() == "string")?;
    let found = FoundDefinition::new(Kind::Function, title, text);
    let kind = if is_group { None } else { found.kind };
    Some(FoundDefinition { kind, name: unquoted(found.name), body: body_of(node), is_test: true, ..found })
}

/// An alias refers to a module by its last name, or by the name given with `as:`.
fn named_module(node: Node<'_>, kind: &str, module: &str, alias: Option<&str>) -> Import {
    let name = module.rsplit('.').next().unwrap_or(module);
    let names = if kind == "alias" { vec![renamed(alias.unwrap_or(name), name)] } else { Vec::new() };
    Import { names, ..import(node, kind, module) }
}

/// `alias A.{B, C}`, `alias A.B, as: C`, `import A, only: [...]`.
fn import_of(node: Node<'_>, kind: &str, text: &str) -> Vec<Import> {
    let Some(module) = first_argument(node) else { return Vec::new() };
    let alias = child_of_kind(node, &["arguments"])
        .and_then(|arguments| child_of_kind(arguments, &["keywords"]))
        .and_then(|keywords| keywords.named_child(0))
        .filter(|pair| field_text(*pair, "key", text).is_some_and(|key| key.trim() == "as:"))
        .and_then(|pair| field_text(pair, "value", text));
    if let (Some(left), Some(right)) = (module.child_by_field_name("left"), child_of_kind(module, &["tuple"]))
    {
        let outer = slice(left, text);
        let inner = right.named_children(&mut right.walk()).map(|name| slice(name, text)).collect::<Vec<_>>();
        return inner
            .into_iter()
            .map(|name| named_module(node, kind, &format!("{outer}.{name}"), None))
            .collect();
    }
    vec![named_module(node, kind, slice(module, text), alias)]
}
