//! The rules shared by JavaScript, TypeScript and TSX, whose grammars are closely related.

use tree_sitter::Node;
use vectorcode_core::{DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem, ReferenceKind as Used};

use super::syntax::{
    BaseFinder, Callee, FoundDefinition, Local, Meaning, NameRole, Rule, child_of_kind, field_text, import,
    renamed, slice, unquoted, whole,
};

pub const TRAITS: LanguageTraits = LanguageTraits {
    module_system: Some(ModuleSystem::Ecmascript),
    shares_definitions: true,
    // Deno modules use `mod.ts` instead of `index.ts`.
    folder_stems: &["index", "mod"],
    element_methods: "at filter find get pop shift slice sort values",
    builtin_methods: "add apply bind call catch clear close concat delete entries every filter find finally forEach get \
        has includes indexOf join keys map match next parse pop push reduce replace set slice some sort \
        splice split test text then toString trim values write",
    ..LanguageTraits::EXPLICIT_IMPORTS
};

/// Name patterns of tests: `retry.spec.ts`, `retry.test.js`.
pub const TEST_FILES: &[&str] = &[
    "*.test.js",
    "*.spec.js",
    "*.test.jsx",
    "*.spec.jsx",
    "*.test.mjs",
    "*.spec.mjs",
    "*.test.cjs",
    "*.spec.cjs",
    "*.test.ts",
    "*.spec.ts",
    "*.test.mts",
    "*.spec.mts",
    "*.test.tsx",
    "*.spec.tsx",
];

/// If a class extends the result of a function call, it also extends the arguments: `class A extends Mixin(B)`.
pub(super) const BASES: &[(&str, BaseFinder)] = &[("class_heritage", whole), ("extends_type_clause", whole)];
pub(super) const NO_BASES: &[(&str, &str)] =
    &[("type_arguments", ""), ("member_expression", "object"), ("object", "")];

pub const RULES: &[(&str, Rule)] = &[
    ("function_declaration", Rule::Define(Kind::Function)),
    ("generator_function_declaration", Rule::Define(Kind::Function)),
    ("function_signature", Rule::Define(Kind::Function)),
    ("method_definition", Rule::Define(Kind::Method)),
    ("method_signature", Rule::Define(Kind::Method)),
    ("abstract_method_signature", Rule::Define(Kind::Method)),
    ("class_declaration", Rule::Define(Kind::Class)),
    ("abstract_class_declaration", Rule::Define(Kind::Class)),
    ("interface_declaration", Rule::Define(Kind::Interface)),
    ("type_alias_declaration", Rule::Define(Kind::Type)),
    ("enum_declaration", Rule::Define(Kind::Enum)),
    ("internal_module", Rule::Define(Kind::Module)),
    ("module", Rule::DefineBy(ambient_module)),
    ("public_field_definition", Rule::DefineBy(class_field)),
    ("field_definition", Rule::DefineBy(class_field)),
    ("property_signature", Rule::Define(Kind::Field)),
    ("variable_declarator", Rule::Decide(variable)),
    ("pair", Rule::DefineBy(function_property)),
    ("assignment_expression", Rule::DefineBy(assigned_function)),
    ("arrow_function", Rule::Anonymous),
    ("function_expression", Rule::Anonymous),
    ("generator_function", Rule::Anonymous),
    ("lexical_declaration", Rule::Group),
    ("variable_declaration", Rule::Group),
    ("ambient_declaration", Rule::Wrap),
    ("expression_statement", Rule::Wrap),
    ("export_statement", Rule::Decide(export)),
    ("comment", Rule::Lead),
    ("decorator", Rule::Lead),
    ("call_expression", Rule::Decide(call)),
    ("new_expression", Rule::Call("constructor")),
    ("jsx_opening_element", Rule::CallBy(component)),
    ("jsx_self_closing_element", Rule::CallBy(component)),
    ("type_identifier", Rule::Type),
    ("identifier", Rule::TypeName),
    ("import_statement", Rule::Import(import_statement)),
    ("string", Rule::Skip),
    ("regex", Rule::Skip),
];

pub(super) const LOCALS: &[(&str, Local)] = &[
    ("variable_declarator", Local::new("name", "type", "value")),
    ("for_in_statement", Local::new("left", "", "right")),
    ("required_parameter", Local::new("pattern", "type", "value")),
    ("optional_parameter", Local::new("pattern", "type", "value")),
];

/// The roles of names, by their position in the syntax.
pub(super) const NAME_ROLES: &[(&str, &str, NameRole)] = &[
    ("shorthand_property_identifier_pattern", "", NameRole::Unpacked),
    ("type_query", "", NameRole::Use(Used::Value)),
    ("type_annotation", "", NameRole::Use(Used::Type)),
    ("type_arguments", "", NameRole::Use(Used::Type)),
    ("required_parameter", "value", NameRole::Use(Used::Value)),
    ("optional_parameter", "value", NameRole::Use(Used::Value)),
    ("required_parameter", "pattern", NameRole::Binding),
    ("optional_parameter", "pattern", NameRole::Binding),
    ("assignment_pattern", "right", NameRole::Use(Used::Value)),
    ("object_assignment_pattern", "right", NameRole::Use(Used::Value)),
    ("formal_parameters", "", NameRole::Binding),
    ("arrow_function", "parameter", NameRole::Binding),
    ("variable_declarator", "name", NameRole::Binding),
    ("variable_declarator", "value", NameRole::Use(Used::Value)),
    ("computed_property_name", "", NameRole::Use(Used::Value)),
    ("pair_pattern", "key", NameRole::Unpacked),
    ("catch_clause", "parameter", NameRole::Binding),
    ("for_in_statement", "left", NameRole::Binding),
    ("assignment_expression", "left", NameRole::Use(Used::Write)),
    ("augmented_assignment_expression", "left", NameRole::Use(Used::Write)),
    ("update_expression", "argument", NameRole::Use(Used::Write)),
    ("member_expression", "object", NameRole::Use(Used::Value)),
    ("subscript_expression", "", NameRole::Use(Used::Value)),
    ("pair", "key", NameRole::Key),
    ("pair", "value", NameRole::Use(Used::Value)),
    ("property_signature", "name", NameRole::Name),
    ("method_definition", "name", NameRole::Name),
    ("method_signature", "name", NameRole::Name),
    ("abstract_method_signature", "name", NameRole::Name),
    ("public_field_definition", "name", NameRole::Name),
    ("field_definition", "property", NameRole::Name),
    ("enum_assignment", "name", NameRole::Name),
    ("enum_body", "", NameRole::Name),
    ("class_declaration", "name", NameRole::Name),
    ("abstract_class_declaration", "name", NameRole::Name),
    ("function_declaration", "name", NameRole::Name),
    ("function_expression", "name", NameRole::Binding),
    ("interface_declaration", "name", NameRole::Name),
    ("type_alias_declaration", "name", NameRole::Name),
    ("enum_declaration", "name", NameRole::Name),
    ("decorator", "", NameRole::Use(Used::Decorator)),
    ("arguments", "", NameRole::Use(Used::Value)),
    ("jsx_expression", "", NameRole::Use(Used::Value)),
    ("jsx_attribute", "", NameRole::Name),
    // Components are calls; other elements are HTML tags.
    ("jsx_opening_element", "name", NameRole::Name),
    ("jsx_self_closing_element", "name", NameRole::Name),
    ("jsx_closing_element", "", NameRole::Name),
    ("type_parameter", "name", NameRole::Name),
    ("export_specifier", "", NameRole::Use(Used::Import)),
    ("statement_identifier", "", NameRole::Name),
    ("statement_block", "", NameRole::Use(Used::Value)),
];

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function")
}

/// A function or class that is named by the variable or property it is assigned to.
fn named_function<'t>(kind: Kind, name: Node<'t>, function: Node<'t>, text: &'t str) -> FoundDefinition<'t> {
    FoundDefinition {
        body: function.child_by_field_name("body").map(|body| body.start_byte()),
        node_kind: Some(function.kind_id()),
        ..FoundDefinition::new(kind, name, text)
    }
}

/// Handles a function, a class, a plain variable, or `const x = require("x")`.
fn variable<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let (name, value) = (node.child_by_field_name("name"), node.child_by_field_name("value"));
    let required =
        value.filter(|value| value.kind() == "call_expression").and_then(|call| required(call, text));
    if let Some(specifier) = required {
        let names = name.map(|name| bound_names(name, text)).unwrap_or_default();
        return Meaning::Import(vec![Import { names, ..import(node, "require", specifier) }]);
    }
    let Some(name) = name.filter(|name| name.kind() == "identifier") else { return Meaning::Nothing };
    Meaning::Define(match value {
        Some(value) if is_function(value) => named_function(Kind::Function, name, value, text),
        Some(value) if value.kind() == "class" => named_function(Kind::Class, name, value, text),
        _ => FoundDefinition {
            cast: value.and_then(|value| cast_type(value, text)),
            ..FoundDefinition::new(Kind::Variable, name, text)
        },
    })
}

/// The type in `(...) as Type`, at the end of a value that may be long.
fn cast_type<'t>(value: Node<'t>, text: &'t str) -> Option<&'t str> {
    let is_cast = matches!(value.kind(), "as_expression" | "satisfies_expression");
    let last = value.named_child_count().checked_sub(1).filter(|_| is_cast)?;
    Some(slice(value.named_child(last as u32)?, text)).filter(|written| *written != "const")
}

/// The names bound by a pattern: `x` or `{ a, b: c }`.
fn bound_names(pattern: Node<'_>, text: &str) -> Vec<String> {
    if pattern.kind() != "object_pattern" {
        return vec![slice(pattern, text).to_owned()];
    }
    let parts = pattern.named_children(&mut pattern.walk()).collect::<Vec<_>>();
    parts
        .into_iter()
        .map(|part| match (field_text(part, "value", text), field_text(part, "key", text)) {
            (Some(here), Some(there)) => renamed(here, there),
            _ => slice(part, text).to_owned(),
        })
        .collect()
}

fn class_field<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"))?;
    Some(match node.child_by_field_name("value") {
        Some(value) if is_function(value) => named_function(Kind::Method, name, value, text),
        _ => FoundDefinition::new(Kind::Field, name, text),
    })
}

/// `{ retry: () => ... }`: a property is a definition only when it is a function.
fn function_property<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let value = node.child_by_field_name("value").filter(|value| is_function(*value))?;
    let key = node.child_by_field_name("key").filter(|key| key.kind() == "property_identifier")?;
    Some(named_function(Kind::Function, key, value, text))
}

/// Handles `exports.retry = function () ...` and `Retry.prototype.run = () => ...`.
fn assigned_function<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let value = node.child_by_field_name("right").filter(|value| is_function(*value))?;
    let target = node.child_by_field_name("left")?;
    if target.kind() == "identifier" {
        return Some(named_function(Kind::Function, target, value, text));
    }
    let name = target.child_by_field_name("property").filter(|name| name.kind() == "property_identifier")?;
    let owner = field_text(target, "object", text)
        .map(|owner| owner.trim_end_matches(".prototype"))
        .filter(|owner| !matches!(*owner, "exports" | "module.exports" | "this") && is_plain(owner));
    Some(FoundDefinition { within: owner, ..named_function(Kind::Function, name, value, text) })
}

fn is_plain(owner: &str) -> bool {
    owner.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
}

/// Handles `declare module "x" { ... }`. The grammar uses the same node kind for `module X {}`.
fn ambient_module<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("name")?;
    Some(FoundDefinition {
        name: unquoted(slice(name, text)),
        ..FoundDefinition::new(Kind::Module, name, text)
    })
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let Some(callee) = field_text(node, "function", text) else { return Meaning::Nothing };
    match (callee, required(node, text)) {
        ("require", Some(specifier)) => Meaning::Import(vec![import(node, "require", specifier)]),
        (_, Some(specifier)) => Meaning::Import(vec![import(node, "dynamic", specifier)]),
        _ => Meaning::call(Callee::parse(callee)),
    }
}

/// The module name in `require("x")` or `import("x")`.
fn required<'t>(call: Node<'_>, text: &'t str) -> Option<&'t str> {
    if !matches!(field_text(call, "function", text)?, "require" | "import") {
        return None;
    }
    let first = call.child_by_field_name("arguments")?.named_child(0)?;
    let is_literal = match first.kind() {
        "string" => true,
        "template_string" => child_of_kind(first, &["template_substitution"]).is_none(),
        _ => false,
    };
    is_literal.then(|| unquoted(slice(first, text)))
}

/// A capitalized JSX tag is a call of a component. Lower-case tags are HTML.
fn component<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    let callee = Callee::parse(field_text(node, "name", text)?)?;
    callee.name.starts_with(char::is_uppercase).then_some(callee)
}

/// `export ... from "x"` is an import. For an exported declaration, the definition is found inside.
fn export<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let Some(source) = field_text(node, "source", text) else { return Meaning::Wrap };
    let names = child_of_kind(node, &["export_clause"])
        .map_or_else(|| vec!["*".to_owned()], |clause| clause_names(clause, text));
    Meaning::Import(vec![Import { names, ..import(node, "export", unquoted(source)) }])
}

fn import_statement(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    if let Some(clause) = child_of_kind(node, &["import_require_clause"]) {
        imports.extend(field_text(clause, "source", text).map(|source| Import {
            names: clause.named_child(0).map(|name| slice(name, text).to_owned()).into_iter().collect(),
            ..import(node, "require", unquoted(source))
        }));
        return;
    }
    let Some(source) = field_text(node, "source", text) else { return };
    let mut names = Vec::new();
    if let Some(clause) = child_of_kind(node, &["import_clause"]) {
        for part in clause.named_children(&mut clause.walk()) {
            match part.kind() {
                "identifier" => names.push(slice(part, text).to_owned()),
                "named_imports" => names.extend(clause_names(part, text)),
                "namespace_import" => {
                    names.extend(part.named_child(0).map(|name| slice(name, text).to_owned()));
                }
                _ => {}
            }
        }
    }
    imports.push(Import { names, ..import(node, "import", unquoted(source)) });
}

/// The local names in `{ a, b as c }`.
fn clause_names(clause: Node<'_>, text: &str) -> Vec<String> {
    clause
        .named_children(&mut clause.walk())
        .filter_map(|specifier| {
            let name = field_text(specifier, "name", text)?;
            Some(renamed(field_text(specifier, "alias", text).unwrap_or(name), name))
        })
        .collect()
}
