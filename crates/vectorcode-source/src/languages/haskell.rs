//! Haskell.

use tree_sitter::Node;
use vectorcode_core::{
    ContentClass, Definition, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem,
};

use super::language::{Language, Structure};
use super::package::Clauses;
use super::syntax::{Callee, FoundDefinition, Rule, Syntax, field_text, import, slice};

pub static LANGUAGE: Language = Language {
    name: "haskell",
    title: "Haskell",
    class: ContentClass::Code,
    extensions: &["hs", "hsc"],
    interpreters: &["runghc", "runhaskell", "stack"],
    test_files: &["*Spec.hs", "*Test.hs", "*Tests.hs"],
    traits: LanguageTraits {
        module_system: Some(ModuleSystem::Haskell),
        imports_all: true,
        ..LanguageTraits::EXPLICIT_IMPORTS
    },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::HASKELL,
    &[
        ("declarations", Rule::Transparent),
        ("imports", Rule::Transparent),
        ("function", Rule::Define(Kind::Function)),
        ("bind", Rule::Define(Kind::Variable)),
        ("data_type", Rule::Define(Kind::Type)),
        ("newtype", Rule::Define(Kind::Type)),
        ("type_synonym", Rule::Define(Kind::Type)),
        ("type_family", Rule::Define(Kind::Type)),
        ("class", Rule::Define(Kind::Interface)),
        ("instance", Rule::DefineBy(instance)),
        // A type signature belongs to the equations below it.
        ("signature", Rule::Lead),
        ("comment", Rule::Lead),
        ("haddock", Rule::Lead),
        ("pragma", Rule::Lead),
        ("apply", Rule::CallBy(application)),
        ("name", Rule::Type),
        ("import", Rule::Import(import_declaration)),
        ("header", Rule::Skip),
        ("string", Rule::Skip),
    ],
)
.with_joined_clauses()
.with_file_importer(packages);

/// `module A.B where`: others import it by that name.
fn packages(root: Node<'_>, text: &str, _: &[Definition]) -> Vec<Import> {
    const CLAUSES: Clauses =
        Clauses { kinds: &["header"], names: &["module"], bodies: &[], separator: "", chained: false };
    CLAUSES.find(root, text, &[])
}

/// `instance Gateway Http where`: its methods are named after the class.
fn instance<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    Some(FoundDefinition::scope(node.child_by_field_name("name")?, text))
}

/// `f x y` is `(f x) y`: only the innermost application names the function.
fn application<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    let function = node.child_by_field_name("function")?;
    matches!(function.kind(), "variable" | "qualified").then(|| Callee::parse(slice(function, text)))?
}

fn import_declaration(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let Some(module) = field_text(node, "module", text) else { return };
    let mut names: Vec<String> = node
        .child_by_field_name("names")
        .map(|list| {
            list.children_by_field_name("name", &mut list.walk())
                .map(|name| slice(name, text).to_owned())
                .collect()
        })
        .unwrap_or_default();
    names.extend(field_text(node, "alias", text).map(str::to_owned));
    imports.push(Import { names, ..import(node, "import", module) });
}
