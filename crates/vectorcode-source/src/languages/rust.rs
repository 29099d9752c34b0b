//! Rust.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind, Import};

use super::language::{Language, Structure};
use super::syntax::{Callee, Found, Meaning, Rule, Syntax, field_text, grammar, import, renamed, slice};

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
        (Some(name), None) => Meaning::Import(vec![module_file(node, slice(name, text), text)]),
        _ => Meaning::Nothing,
    }
}

/// `mod name;` with the modules written around it; with `#[path = "..."]` above it, that path and the name.
fn module_file(node: Node<'_>, name: &str, text: &str) -> Import {
    let module = surrounding_modules(node, text).into_iter().chain([name]).collect::<Vec<_>>().join("::");
    match path_attribute(node, text) {
        Some(path) => Import { names: vec![module], ..import(node, "mod", path) },
        None => import(node, "mod", &module),
    }
}

fn path_attribute<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let above = std::iter::successors(node.prev_named_sibling(), Node::prev_named_sibling);
    above
        .take_while(|sibling| matches!(sibling.kind(), "attribute_item" | "line_comment" | "block_comment"))
        .map(|attribute| slice(attribute, text))
        .filter_map(|attribute| attribute.strip_prefix("#[path"))
        .find_map(|rest| rest.split('"').nth(1))
}

/// The names of the modules with a body around a node, outermost first.
fn surrounding_modules<'t>(node: Node<'_>, text: &'t str) -> Vec<&'t str> {
    let above = std::iter::successors(node.parent(), Node::parent);
    let modules = above.filter(|around| around.kind() == "mod_item");
    let mut names: Vec<_> = modules.filter_map(|module| field_text(module, "name", text)).collect();
    names.reverse();
    names
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
    let first = imports.len();
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
    let relative = |import: &Import| matches!(import.specifier.split("::").next(), Some("self" | "super"));
    if imports[first..].iter().any(relative) {
        let around = surrounding_modules(node, text);
        for import in imports[first..].iter_mut().filter(|import| relative(import)) {
            import.specifier = from_file(&import.specifier, &around);
        }
    }
}

/// A path that begins with `self` or `super`, as it reads at the top level of the file: inside `mod tests`, `super` is
/// the file itself.
fn from_file(path: &str, around: &[&str]) -> String {
    let mut around = around.to_vec();
    let mut segments = path.split("::").skip_while(|segment| *segment == "self").peekable();
    while !around.is_empty() && segments.next_if_eq(&"super").is_some() {
        around.pop();
    }
    let climbs = segments.peek() == Some(&"super");
    let start = if climbs { None } else { Some("self") };
    start.into_iter().chain(around).chain(segments).collect::<Vec<_>>().join("::")
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
    let (module, names) = match (module, name) {
        // `use serde;` and `use a::{self}` bring the module itself.
        ("", _) => (name, alias.map(|alias| renamed(alias, "self")).into_iter().collect()),
        (module, "self") => (module, alias.map(|alias| renamed(alias, "self")).into_iter().collect()),
        (module, name) => (module, vec![renamed(alias.unwrap_or(name), name)]),
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
