//! The rules shared by C and C++: names are nested in declarators, and files include each other.

use tree_sitter::Node;
use vectorcode_core::{
    DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem, ReferenceKind as Used, TypeAnnotation,
};

use super::syntax::{
    BaseFinder, Callee, FoundDefinition, Local, NameRole, Rule, child_of_kind, field_text, import, slice,
    whole,
};

pub const TRAITS: LanguageTraits = LanguageTraits {
    module_system: Some(ModuleSystem::CFamily),
    shares_definitions: true,
    implicit_self: true,
    types_are_apart: true,
    type_annotation: TypeAnnotation::Before,
    base_class_names: &[],
    builtin_methods: "append at back begin c_str capacity clear count data emplace emplace_back empty end erase find first front get \
                      insert length pop pop_back pop_front push push_back push_front rbegin release rend reserve reset resize second \
                      size str substr swap top",
    wrapper_types: "unique_ptr shared_ptr weak_ptr auto_ptr optional",
    header_extensions: &["h", "hh", "hpp", "hxx", "h++", "inc", "ipp"],
    ..LanguageTraits::PERMISSIVE
};

/// Maximum nesting depth of a declarator. `int (*(*f)(int))[3]` is already unusual.
const MAX_DECLARATOR_DEPTH: usize = 12;

pub const BASES: &[(&str, BaseFinder)] = &[("base_class_clause", whole)];
pub const NO_BASES: &[(&str, &str)] = &[("template_argument_list", "")];

pub const RULES: &[(&str, Rule)] = &[
    ("function_definition", Rule::DefineBy(function)),
    ("declaration", Rule::DefineBy(declaration)),
    ("field_declaration", Rule::DefineBy(member)),
    ("struct_specifier", Rule::DefineBy(structure)),
    ("union_specifier", Rule::DefineBy(structure)),
    ("enum_specifier", Rule::DefineBy(enumeration)),
    ("enumerator", Rule::Define(Kind::Constant)),
    ("class_specifier", Rule::DefineBy(class)),
    ("type_definition", Rule::DefineBy(typedef)),
    ("preproc_def", Rule::Define(Kind::Macro)),
    ("preproc_function_def", Rule::Define(Kind::Macro)),
    // Include guards and similar directives wrap whole files.
    ("preproc_ifdef", Rule::Transparent),
    ("preproc_if", Rule::Transparent),
    ("preproc_else", Rule::Transparent),
    ("preproc_elif", Rule::Transparent),
    ("linkage_specification", Rule::Transparent),
    ("declaration_list", Rule::Transparent),
    ("comment", Rule::Lead),
    ("call_expression", Rule::Call("function")),
    ("type_identifier", Rule::Type),
    ("preproc_include", Rule::Import(include)),
    ("string_literal", Rule::Skip),
    // C++ only.
    ("namespace_definition", Rule::DefineBy(namespace)),
    ("alias_declaration", Rule::Define(Kind::Type)),
    ("concept_definition", Rule::Define(Kind::Type)),
    ("template_declaration", Rule::Wrap),
    ("lambda_expression", Rule::Anonymous),
    ("new_expression", Rule::Call("type")),
    ("parameter_declaration", Rule::CallBy(constructed)),
    ("using_declaration", Rule::Import(using)),
    ("raw_string_literal", Rule::Skip),
];

pub(super) const LOCALS: &[(&str, Local)] = &[
    ("declaration", Local::new("declarator", "type", "value")),
    ("parameter_declaration", Local::new("declarator", "type", "")),
    ("optional_parameter_declaration", Local::new("declarator", "type", "")),
    ("for_range_loop", Local::new("declarator", "type", "right")),
];

/// The roles of names, by their position in the syntax.
pub(super) const NAME_ROLES: &[(&str, &str, NameRole)] = &[
    ("parameter_declaration", "type", NameRole::Use(Used::Type)),
    ("parameter_declaration", "declarator", NameRole::Binding),
    ("optional_parameter_declaration", "type", NameRole::Use(Used::Type)),
    ("optional_parameter_declaration", "declarator", NameRole::Binding),
    ("optional_parameter_declaration", "default_value", NameRole::Use(Used::Value)),
    ("type_parameter_declaration", "", NameRole::Name),
    ("qualified_identifier", "scope", NameRole::Use(Used::Type)),
    ("array_declarator", "size", NameRole::Use(Used::Value)),
    ("trailing_return_type", "", NameRole::Use(Used::Type)),
    ("function_declarator", "declarator", NameRole::Name),
    ("init_declarator", "declarator", NameRole::Binding),
    ("init_declarator", "value", NameRole::Use(Used::Value)),
    ("declaration", "declarator", NameRole::Binding),
    ("for_range_loop", "declarator", NameRole::Binding),
    ("assignment_expression", "left", NameRole::Use(Used::Write)),
    ("update_expression", "", NameRole::Use(Used::Write)),
    ("field_designator", "", NameRole::Use(Used::Write)),
    ("field_expression", "argument", NameRole::Use(Used::Value)),
    ("subscript_expression", "", NameRole::Use(Used::Value)),
    ("template_argument_list", "", NameRole::Use(Used::Type)),
    ("argument_list", "", NameRole::Use(Used::Value)),
    ("compound_literal_expression", "type", NameRole::Use(Used::Construction)),
    ("field_declaration", "declarator", NameRole::Name),
    ("type_definition", "declarator", NameRole::Name),
    ("preproc_def", "name", NameRole::Name),
    ("preproc_function_def", "name", NameRole::Name),
    ("class_specifier", "name", NameRole::Use(Used::Type)),
    ("struct_specifier", "name", NameRole::Use(Used::Type)),
    ("enum_specifier", "name", NameRole::Use(Used::Type)),
    ("enumerator", "name", NameRole::Name),
    ("enumerator", "value", NameRole::Use(Used::Value)),
    ("statement_identifier", "", NameRole::Name),
    ("namespace_definition", "name", NameRole::Name),
    ("compound_statement", "", NameRole::Use(Used::Value)),
];

/// The name that a declarator declares.
struct Declared<'t> {
    name: Node<'t>,
    /// `Foo` in `Foo::bar`.
    within: Option<&'t str>,
    is_function: bool,
}

/// Unwraps the pointers, arrays, initializers and parameter lists around a name.
fn declared<'t>(node: Node<'t>, text: &'t str) -> Option<Declared<'t>> {
    let mut at = node.child_by_field_name("declarator")?;
    let mut is_function = false;
    for _ in 0..MAX_DECLARATOR_DEPTH {
        is_function |= at.kind() == "function_declarator";
        match at.kind() {
            "qualified_identifier" => {
                let (within, name) = qualified(at, text)?;
                return Some(Declared { name, within: Some(within), is_function });
            }
            "identifier" | "field_identifier" | "type_identifier" | "operator_name" | "destructor_name" => {
                return Some(Declared { name: at, within: None, is_function });
            }
            "template_function" => at = at.child_by_field_name("name")?,
            _ => at = at.child_by_field_name("declarator").or_else(|| at.named_child(0))?,
        }
    }
    None
}

/// The scopes before a qualified name, without namespaces of the file, and the name.
fn qualified<'t>(node: Node<'t>, text: &'t str) -> Option<(&'t str, Node<'t>)> {
    let (mut at, mut first, mut last) = (node, None, None);
    while let Some(name) = at.child_by_field_name("name") {
        if let Some(scope) = at.child_by_field_name("scope") {
            let is_last = name.kind() != "qualified_identifier";
            let is_left_out = first.is_none() && !is_last && is_namespace(slice(scope, text), text);
            first = first.or_else(|| (!is_left_out).then_some(scope));
            last = Some(scope);
        }
        at = name;
    }
    let (first, last) = (first?, last?);
    // Type arguments of the last scope are not part of the name.
    let bare = last.child_by_field_name("name").unwrap_or(last);
    Some((text.get(first.start_byte()..bare.end_byte())?, at))
}

fn is_namespace(name: &str, text: &str) -> bool {
    text.contains(&format!("namespace {name}"))
}

fn found<'t>(kind: Kind, declared: &Declared<'t>, text: &'t str) -> FoundDefinition<'t> {
    FoundDefinition { within: declared.within, ..FoundDefinition::new(kind, declared.name, text) }
}

/// `TEST_F(ShopTest, Opens) {` and similar macros: a method of the first name.
fn test<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let declarator =
        node.child_by_field_name("declarator").filter(|_| node.child_by_field_name("type").is_none())?;
    let has_fixture = match field_text(declarator, "declarator", text)? {
        "TEST" => false,
        "TEST_F" | "TEST_P" | "TYPED_TEST" | "TYPED_TEST_P" => true,
        _ => return None,
    };
    let parameters = declarator.child_by_field_name("parameters")?;
    let (suite, name) = (parameters.named_child(0)?, parameters.named_child(1)?);
    let kind = if has_fixture { Kind::Method } else { Kind::Function };
    let is_plain = |node: Node<'_>| slice(node, text).chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_plain(suite) && is_plain(name)).then(|| FoundDefinition {
        within: Some(slice(suite, text)),
        is_test: true,
        ..FoundDefinition::new(kind, name, text)
    })
}

/// `Shop shop(open());` in a function looks like the declaration of another function, one that has a function as a parameter.
fn constructed<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    child_of_kind(node, &["abstract_function_declarator"])?;
    let declaration = node.parent()?.parent()?.parent()?;
    let is_local =
        declaration.kind() == "declaration" && declaration.parent()?.kind() == "compound_statement";
    field_text(node, "type", text).filter(|_| is_local).and_then(Callee::parse)
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    if let Some(test) = test(node, text) {
        return Some(test);
    }
    let declared = declared(node, text)?;
    // A macro before a namespace or after a class can make the grammar parse it as a function.
    let is_keyword = matches!(slice(declared.name, text), "namespace" | "class" | "struct" | "template");
    let returns_a_body =
        node.child_by_field_name("type").is_some_and(|of| of.child_by_field_name("body").is_some());
    if is_keyword || returns_a_body || !declared.is_function {
        return None;
    }
    let kind = if declared.within.is_some() { Kind::Method } else { Kind::Function };
    Some(found(kind, &declared, text))
}

fn declaration<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let declared = declared(node, text)?;
    Some(found(if declared.is_function { Kind::Function } else { Kind::Variable }, &declared, text))
}

fn member<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let declared = declared(node, text)?;
    Some(found(if declared.is_function { Kind::Method } else { Kind::Field }, &declared, text))
}

/// A struct with a body is a definition. Without a body it is only a reference to the name.
fn with_body<'t>(kind: Kind, node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    node.child_by_field_name("body")?;
    let name = node.child_by_field_name("name")?;
    // For a specialization such as `hash<Payment>`, the name without its arguments.
    Some(FoundDefinition::new(kind, name.child_by_field_name("name").unwrap_or(name), text))
}

fn structure<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    with_body(Kind::Struct, node, text)
}

fn class<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    with_body(Kind::Class, node, text)
}

/// The values of an enum are names in the enclosing scope, except those of an `enum class`.
fn enumeration<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let found = with_body(Kind::Enum, node, text)?;
    let is_scoped = node.child(1).is_some_and(|word| matches!(word.kind(), "class" | "struct"));
    Some(FoundDefinition { qualifies: is_scoped, ..found })
}

/// The values of an enum belong to the enclosing scope, as with a named enum.
fn typedef<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let is_enum = node.child_by_field_name("type").is_some_and(|of| of.kind() == "enum_specifier");
    Some(FoundDefinition { qualifies: !is_enum, ..found(Kind::Type, &declared(node, text)?, text) })
}

/// A namespace is a definition, but does not qualify the names inside, because it spans whole files and programs.
fn namespace<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition {
        qualifies: false,
        ..FoundDefinition::new(Kind::Module, node.child_by_field_name("name")?, text)
    })
}

fn include(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let Some(path) = node.child_by_field_name("path") else { return };
    let kind = if path.kind() == "system_lib_string" { "include_system" } else { "include" };
    imports.push(import(node, kind, slice(path, text).trim_matches(['<', '>', '"'])));
}

/// Only names of the standard library are certainly external. For others, the statement does not say where they come from.
fn using(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let Some(name) = node.named_child(0).filter(|name| slice(*name, text).starts_with("std::")) else {
        return;
    };
    let path = slice(name, text);
    let (module, name) = path.rsplit_once("::").unwrap_or((path, "*"));
    imports.push(Import { names: vec![name.to_owned()], ..import(node, "using", module) });
}
