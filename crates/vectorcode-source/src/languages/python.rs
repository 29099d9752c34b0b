//! Python.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem, ReferenceKind as Used,
};

use super::language::{Language, Structure};
use super::syntax::{FoundDefinition, Local, NameRole, Rule, Syntax, field_text, import, renamed, slice};

pub const TRAITS: LanguageTraits = LanguageTraits {
    module_system: Some(ModuleSystem::Python),
    class_body_is_scope: true,
    folder_stems: &["__init__"],
    element_methods: "copy get items pop popitem setdefault values __enter__",
    builtin_methods: "add append clear close copy count decode discard encode extend find flush format get index insert \
        items join keys lower pop popitem read readline register remove replace reverse send setdefault sort \
        split start strip update upper values write",
    ..LanguageTraits::EXPLICIT_IMPORTS
};

pub static LANGUAGE: Language = Language {
    name: "python",
    title: "Python",
    class: ContentClass::Code,
    extensions: &["py", "pyi", "pyw"],
    interpreters: &["python", "pypy", "uv", "pipx"],
    file_names: &["SConstruct", "SConscript", "wscript"],
    test_files: &["test_*.py", "*_test.py", "tests.py", "conftest.py"],
    test_names: &["test"],
    traits: TRAITS,
    reexport_files: &["__init__.py"],
    declaration_endings: &[".pyi"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::PYTHON,
    &[
        ("function_definition", Rule::Define(Kind::Function)),
        ("class_definition", Rule::Define(Kind::Class)),
        ("type_alias_statement", Rule::DefineBy(type_alias)),
        ("assignment", Rule::DefineBy(assignment)),
        ("expression_statement", Rule::Wrap),
        ("decorated_definition", Rule::Wrap),
        ("lambda", Rule::Anonymous),
        ("comment", Rule::Lead),
        ("call", Rule::Call("function")),
        ("type", Rule::TypeRegion),
        ("identifier", Rule::TypeName),
        ("import_statement", Rule::Import(import_statement)),
        ("import_from_statement", Rule::Import(import_from)),
        ("future_import_statement", Rule::Import(import_from)),
    ],
)
.with_bases(
    &[("class_definition", superclasses)],
    &[("subscript", "subscript"), ("keyword_argument", ""), ("attribute", "object")],
)
.with_name_roles(NAME_ROLES)
.with_locals(&[
    ("assignment", Local::new("left", "type", "right")),
    ("for_statement", Local::new("left", "", "right")),
    ("for_in_clause", Local::new("left", "", "right")),
    ("typed_parameter", Local::new("", "type", "")),
    ("typed_default_parameter", Local::new("name", "type", "")),
]);

fn superclasses<'t>(class: Node<'t>, _: &str) -> Option<Node<'t>> {
    class.child_by_field_name("superclasses")
}

/// The roles of names, by their position in the syntax.
pub(super) const NAME_ROLES: &[(&str, &str, NameRole)] = &[
    ("type", "", NameRole::Use(Used::Type)),
    ("default_parameter", "value", NameRole::Use(Used::Value)),
    ("typed_default_parameter", "value", NameRole::Use(Used::Value)),
    ("parameters", "", NameRole::Binding),
    ("lambda_parameters", "", NameRole::Binding),
    ("keyword_argument", "name", NameRole::Name),
    ("assignment", "left", NameRole::Binding),
    ("assignment", "right", NameRole::Use(Used::Value)),
    ("augmented_assignment", "left", NameRole::Use(Used::Write)),
    ("for_statement", "left", NameRole::Binding),
    ("for_in_clause", "left", NameRole::Binding),
    ("as_pattern_target", "", NameRole::Binding),
    ("named_expression", "name", NameRole::Binding),
    ("attribute", "object", NameRole::Use(Used::Value)),
    ("subscript", "", NameRole::Use(Used::Value)),
    ("call", "", NameRole::Use(Used::Value)),
    ("decorator", "", NameRole::Use(Used::Decorator)),
    ("function_definition", "name", NameRole::Name),
    ("class_definition", "name", NameRole::Name),
    ("global_statement", "", NameRole::Outer),
    ("nonlocal_statement", "", NameRole::Name),
    ("case_pattern", "", NameRole::Pattern),
    ("lambda", "body", NameRole::Use(Used::Value)),
    ("block", "", NameRole::Use(Used::Value)),
];

/// `NAME = ...` at module or class level; the walk drops those inside functions.
fn assignment<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("left").filter(|left| left.kind() == "identifier")?;
    let constant = !slice(name, text).contains(char::is_lowercase);
    Some(FoundDefinition::new(if constant { Kind::Constant } else { Kind::Variable }, name, text))
}

fn type_alias<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition::new(Kind::Type, node.child_by_field_name("left")?, text))
}

fn import_statement(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    for module in node.children_by_field_name("name", &mut node.walk()) {
        imports.push(match module.kind() {
            "aliased_import" => Import {
                names: field_text(module, "alias", text).map(str::to_owned).into_iter().collect(),
                ..import(node, "import", field_text(module, "name", text).unwrap_or_default())
            },
            _ => import(node, "import", slice(module, text)),
        });
    }
}

fn import_from(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let module = field_text(node, "module_name", text).unwrap_or("__future__");
    let mut names: Vec<String> = node
        .children_by_field_name("name", &mut node.walk())
        .map(|name| match (field_text(name, "alias", text), field_text(name, "name", text)) {
            (Some(alias), Some(name)) => renamed(alias, name),
            _ => slice(name, text).to_owned(),
        })
        .collect();
    if names.is_empty() {
        names.push("*".to_owned());
    }
    imports.push(Import { names, ..import(node, "from", module) });
}
