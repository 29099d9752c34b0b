//! Rust.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind, Import};

use super::language::{Language, Structure};
use super::syntax::{Callee, Found, Meaning, Rule, Syntax, field_text, grammar, import, slice};

pub static LANGUAGE: Language = Language {
    name: "rust",
    title: "Rust",
    class: ContentClass::Code,
    extensions: &["rs"],
    test_files: &["*_test.rs", "*_tests.rs", "tests.rs", "test.rs"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    grammar!("rust", tree_sitter_rust::LANGUAGE),
    &[
        ("function_item", Rule::Define(Kind::Function)),
        ("function_signature_item", Rule::Define(Kind::Function)),
        ("struct_item", Rule::Define(Kind::Struct)),
        ("union_item", Rule::Define(Kind::Struct)),
        ("enum_item", Rule::Define(Kind::Enum)),
        ("trait_item", Rule::Define(Kind::Trait)),
        ("type_item", Rule::Define(Kind::Type)),
        ("const_item", Rule::Define(Kind::Constant)),
        ("static_item", Rule::Define(Kind::Constant)),
        ("macro_definition", Rule::Define(Kind::Macro)),
        ("field_declaration", Rule::Define(Kind::Field)),
        ("mod_item", Rule::Decide(module)),
        ("impl_item", Rule::DefineBy(impl_scope)),
        ("closure_expression", Rule::Anonymous),
        ("line_comment", Rule::Lead),
        ("block_comment", Rule::Lead),
        ("attribute_item", Rule::Lead),
        ("attribute", Rule::Skip),
        ("call_expression", Rule::Call("function")),
        ("macro_invocation", Rule::CallBy(macro_name)),
        ("token_tree", Rule::CallBy(call_inside_macro)),
        ("type_identifier", Rule::Type),
        ("use_declaration", Rule::Import(use_declaration)),
        ("extern_crate_declaration", Rule::Import(extern_crate)),
        ("string_literal", Rule::Skip),
        ("inner_attribute_item", Rule::Skip),
    ],
)
.with_test_marks(&[
    "#[test]",
    "#[cfg(test)]",
    "#[tokio::test",
    "#[async_std::test",
    "#[rstest",
    "#[test_case",
]);

/// `mod name { ... }` defines a module, `mod name;` brings in a file.
fn module<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    match (node.child_by_field_name("name"), node.child_by_field_name("body")) {
        (Some(name), Some(_)) => Meaning::Define(Found::new(Kind::Module, name, text)),
        (Some(name), None) => Meaning::Import(vec![import(node, "mod", slice(name, text))]),
        _ => Meaning::Nothing,
    }
}

fn impl_scope<'t>(node: Node<'t>, text: &'t str) -> Option<Found<'t>> {
    let mut target = node.child_by_field_name("type")?;
    while let Some(inner) = target.child_by_field_name("type").or_else(|| target.child_by_field_name("name"))
    {
        target = inner;
    }
    Some(Found::scope(target, text))
}

fn macro_name<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    let path = field_text(node, "macro", text)?;
    Some(match path.rsplit_once("::") {
        Some((receiver, name)) => Callee { name, receiver: Some(receiver) },
        None => Callee { name: path, receiver: None },
    })
}

/// Inside a macro there are only tokens: a name right before a parenthesis is a call.
fn call_inside_macro<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    let before = text.get(..node.start_byte()).filter(|_| text[node.start_byte()..].starts_with('('))?;
    let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.');
    let length = before.bytes().rev().take_while(is_path).count();
    Callee::parse(&before[before.len() - length..])
}

fn extern_crate(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    imports.extend(field_text(node, "name", text).map(|name| import(node, "use", name)));
}

/// `use a::{b::C, d as e, f::*}` is one import per module: `a::b` with `C`, `a` with `e`, `a::f` with `*`.
fn use_declaration(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    let mut open = vec![(String::new(), argument)];
    while let Some((prefix, tree)) = open.pop() {
        match tree.kind() {
            "scoped_use_list" => {
                let path = join(&prefix, field_text(tree, "path", text).unwrap_or_default());
                open.extend(tree.child_by_field_name("list").map(|list| (path, list)));
            }
            "use_list" => {
                let children: Vec<_> = tree.named_children(&mut tree.walk()).collect();
                open.extend(children.into_iter().rev().map(|child| (prefix.clone(), child)));
            }
            _ => add_leaf(node, &prefix, tree, text, imports),
        }
    }
}

fn add_leaf(node: Node<'_>, prefix: &str, leaf: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let (path, alias) = match leaf.kind() {
        "use_as_clause" => {
            (field_text(leaf, "path", text).unwrap_or_default(), field_text(leaf, "alias", text))
        }
        "line_comment" | "block_comment" => return,
        _ => (slice(leaf, text), None),
    };
    let whole = join(prefix, path);
    let (module, name) = whole.rsplit_once("::").unwrap_or(("", &whole));
    let shown = alias.unwrap_or(name);
    let (module, names) = match (module, shown) {
        // `use serde;` and `use a::{self}` bring the module itself.
        ("", _) => (name, alias.map(str::to_owned).into_iter().collect()),
        (module, "self") => (module, Vec::new()),
        (module, shown) => (module, vec![shown.to_owned()]),
    };
    add_or_extend(imports, Import { names, ..import(node, "use", module) });
}

/// Names of the same module in one statement share one import.
fn add_or_extend(imports: &mut Vec<Import>, new: Import) {
    match imports.last_mut() {
        Some(last) if last.line == new.line && last.specifier == new.specifier && !last.names.is_empty() => {
            last.names.extend(new.names);
        }
        _ => imports.push(new),
    }
}

fn join(prefix: &str, path: &str) -> String {
    match (prefix.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (_, true) => prefix.to_owned(),
        _ => format!("{prefix}::{path}"),
    }
}
