//! Rust.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, Definition, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem,
    ReferenceKind as Used,
};

use super::language::{Language, Structure};
use super::syntax::{
    Callee, FoundDefinition, Local, Meaning, NameRole, Rule, Syntax, child_of_kind, field_text, import,
    renamed, slice,
};
use crate::parse::with_tree;

pub static LANGUAGE: Language = Language {
    name: "rust",
    title: "Rust",
    class: ContentClass::Code,
    extensions: &["rs"],
    interpreters: &["rust-script"],
    test_files: &["*_test.rs", "*_tests.rs", "tests.rs", "test.rs"],
    traits: LanguageTraits {
        module_system: Some(ModuleSystem::Rust),
        base_class_names: &[],
        folder_stems: &["mod"],
        element_methods: "as_deref as_mut as_ref borrow borrow_mut clone cloned copied expect first get get_mut into_iter iter \
            iter_mut last lock next pop read rev to_owned unwrap unwrap_or_default values write",
        builtin_methods: "as_bytes as_ref as_str clear clone cmp contains extend file_type filter find flush from get insert \
            into is_empty iter join kind len map metadata next path pop push read remove send split to_string \
            unwrap wait write",
        ..LanguageTraits::EXPLICIT_IMPORTS
    },
    reexport_files: &["prelude.rs"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::RUST,
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
])
.with_file_importer(inside_macros)
.with_bases(&[("impl_item", implemented), ("trait_item", supertraits)], &[("type_arguments", "")])
.with_name_roles(NAME_ROLES)
.with_locals(&[
    ("let_declaration", Local::new("pattern", "type", "value")),
    ("for_expression", Local::new("pattern", "", "value")),
    ("parameter", Local::new("pattern", "type", "")),
]);

fn implemented<'t>(block: Node<'t>, _: &str) -> Option<Node<'t>> {
    block.child_by_field_name("trait")
}

fn supertraits<'t>(item: Node<'t>, _: &str) -> Option<Node<'t>> {
    item.child_by_field_name("bounds")
}

/// The roles of names, by their position in the syntax.
const NAME_ROLES: &[(&str, &str, NameRole)] = &[
    ("token_tree", "", NameRole::Macro),
    ("parameter", "type", NameRole::Use(Used::Type)),
    ("parameter", "pattern", NameRole::Pattern),
    ("closure_parameters", "", NameRole::Pattern),
    ("let_declaration", "pattern", NameRole::Pattern),
    ("let_declaration", "value", NameRole::Use(Used::Value)),
    ("for_expression", "pattern", NameRole::Pattern),
    ("tuple_struct_pattern", "type", NameRole::Use(Used::Value)),
    ("struct_pattern", "type", NameRole::Use(Used::Value)),
    ("scoped_identifier", "", NameRole::Use(Used::Value)),
    ("field_pattern", "name", NameRole::Use(Used::Read)),
    ("match_pattern", "condition", NameRole::Use(Used::Value)),
    ("match_pattern", "", NameRole::Pattern),
    ("let_condition", "pattern", NameRole::Pattern),
    ("let_condition", "value", NameRole::Use(Used::Value)),
    ("struct_expression", "name", NameRole::Use(Used::Construction)),
    ("field_initializer", "field", NameRole::Use(Used::Write)),
    ("field_initializer", "value", NameRole::Use(Used::Value)),
    ("field_expression", "value", NameRole::Use(Used::Value)),
    ("index_expression", "", NameRole::Use(Used::Value)),
    ("assignment_expression", "left", NameRole::Use(Used::Write)),
    ("compound_assignment_expr", "left", NameRole::Use(Used::Write)),
    ("type_arguments", "", NameRole::Use(Used::Type)),
    ("trait_bounds", "", NameRole::Use(Used::Type)),
    ("attribute_item", "", NameRole::Use(Used::Decorator)),
    ("arguments", "", NameRole::Use(Used::Value)),
    ("function_item", "name", NameRole::Name),
    ("function_signature_item", "name", NameRole::Name),
    ("struct_item", "name", NameRole::Name),
    ("enum_item", "name", NameRole::Name),
    ("enum_variant", "name", NameRole::Name),
    ("trait_item", "name", NameRole::Name),
    ("type_item", "name", NameRole::Name),
    ("mod_item", "name", NameRole::Name),
    ("const_item", "name", NameRole::Name),
    ("static_item", "name", NameRole::Name),
    ("field_declaration", "name", NameRole::Name),
    ("macro_definition", "name", NameRole::Name),
    ("associated_type", "name", NameRole::Name),
    ("type_parameter", "name", NameRole::Name),
    ("type_binding", "name", NameRole::Name),
    ("block", "", NameRole::Use(Used::Value)),
];

/// How deep to look into nested macros: `cfg_unix! { cfg_net! { mod socket; } }`.
const MAX_MACRO_DEPTH: usize = 3;

/// Modules and imports inside macros at the top level, as in `cfg_if! { ... }`. To the grammar these are only tokens, so the
/// contents are parsed again as items.
fn inside_macros(root: Node<'_>, text: &str, _: &[Definition]) -> Vec<Import> {
    let mut imports = Vec::new();
    for item in root.named_children(&mut root.walk()) {
        let statement = if item.kind() == "expression_statement" { item.named_child(0) } else { Some(item) };
        if let Some(invocation) = statement.filter(|item| item.kind() == "macro_invocation") {
            read_macro(invocation, text, 0, 0, &mut imports);
        }
    }
    imports
}

/// `line` is the line of the file that the text starts on.
fn read_macro(invocation: Node<'_>, text: &str, line: u32, depth: usize, imports: &mut Vec<Import>) {
    let Some(tokens) = child_of_kind(invocation, &["token_tree"]) else { return };
    let inside = slice(tokens, text).strip_prefix('{').and_then(|inside| inside.strip_suffix('}'));
    let inside = inside.filter(|inside| inside.contains("mod ") || inside.contains("use "));
    let Some((inside, table)) = inside.zip(SYNTAX.table()) else { return };
    let line = line + tokens.start_position().row as u32;
    // If the macro cannot be parsed, it contributes no imports.
    with_tree(inside, &[], table.grammar, |root| read_items(root, inside, line, depth, imports)).ok();
}

/// The modules and imports among the items of a macro.
fn read_items(root: Node<'_>, text: &str, line: u32, depth: usize, imports: &mut Vec<Import>) {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match node.kind() {
            "use_declaration" => use_declaration(node, text, &mut found),
            "mod_item" if node.child_by_field_name("body").is_none() => {
                let name = field_text(node, "name", text).unwrap_or_default();
                found.extend(module_files(node, name, text));
            }
            "macro_invocation" if depth < MAX_MACRO_DEPTH => {
                read_macro(node, text, line, depth + 1, imports);
            }
            "function_item" | "impl_item" | "macro_definition" | "macro_invocation" => {}
            _ => open.extend(node.named_children(&mut node.walk()).collect::<Vec<_>>().into_iter().rev()),
        }
    }
    imports.extend(found.into_iter().map(|import| Import { line: import.line + line, ..import }));
}

/// `mod name { ... }` defines a module, `mod name;` brings in a file.
fn module<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    match (node.child_by_field_name("name"), node.child_by_field_name("body")) {
        (Some(name), Some(_)) => Meaning::Define(FoundDefinition::new(Kind::Module, name, text)),
        (Some(name), None) => Meaning::Import(module_files(node, slice(name, text), text)),
        _ => Meaning::Nothing,
    }
}

/// `mod name;` together with the modules that enclose it. If `#[path = "..."]` precedes it, that path and the name. Different
/// platforms may have different paths.
fn module_files(node: Node<'_>, name: &str, text: &str) -> Vec<Import> {
    let module = surrounding_modules(node, text).into_iter().chain([name]).collect::<Vec<_>>().join("::");
    let paths = path_attributes(node, text);
    if paths.is_empty() {
        return vec![import(node, "mod", &module)];
    }
    let import = |path| Import { names: vec![module.clone()], ..import(node, "mod", path) };
    paths.into_iter().map(import).collect()
}

/// The paths of `#[path = "..."]` and `#[cfg_attr(unix, path = "...")]` above an item.
fn path_attributes<'t>(node: Node<'_>, text: &'t str) -> Vec<&'t str> {
    let above = std::iter::successors(node.prev_named_sibling(), Node::prev_named_sibling);
    above
        .take_while(|sibling| matches!(sibling.kind(), "attribute_item" | "line_comment" | "block_comment"))
        .map(|attribute| slice(attribute, text))
        .filter(|attribute| attribute.starts_with("#[path") || attribute.starts_with("#[cfg_attr"))
        .filter_map(|attribute| attribute.rsplit_once("path = \"")?.1.split('"').next())
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect()
}

/// The names of the modules with a body around a node, outermost first.
fn surrounding_modules<'t>(node: Node<'_>, text: &'t str) -> Vec<&'t str> {
    let above = std::iter::successors(node.parent(), Node::parent);
    let modules = above.filter(|around| around.kind() == "mod_item");
    let mut names: Vec<_> = modules.filter_map(|module| field_text(module, "name", text)).collect();
    names.reverse();
    names
}

fn impl_scope<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let mut target = node.child_by_field_name("type")?;
    while let Some(inner) = target.child_by_field_name("type").or_else(|| target.child_by_field_name("name"))
    {
        target = inner;
    }
    Some(FoundDefinition::scope(target, text))
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

/// A path that begins with `self` or `super`, rewritten relative to the top level of the file: inside `mod tests`, `super` is
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
        // `use serde;` and `use a::{self}` import the module itself.
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
