//! CSS.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind, Import, LanguageTraits, ModuleSystem};

use super::language::{Language, Structure};
use super::syntax::{FoundDefinition, Rule, Syntax, child_of_kind, import, slice};

pub static LANGUAGE: Language = Language {
    name: "css",
    title: "CSS",
    class: ContentClass::Code,
    extensions: &["css"],
    traits: LanguageTraits { module_system: Some(ModuleSystem::Web), ..LanguageTraits::PERMISSIVE },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::CSS,
    &[
        ("rule_set", Rule::DefineBy(rule_set)),
        ("media_statement", Rule::DefineBy(at_rule)),
        ("supports_statement", Rule::DefineBy(at_rule)),
        ("keyframes_statement", Rule::DefineBy(at_rule)),
        ("at_rule", Rule::DefineBy(at_rule)),
        ("declaration", Rule::Skip),
        ("comment", Rule::Lead),
        ("import_statement", Rule::Import(import_statement)),
    ],
);

/// A rule set is named after its selectors.
fn rule_set<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let selectors = child_of_kind(node, &["selectors"])?;
    let found = FoundDefinition::new(Kind::Section, selectors, text);
    let name = found.name.lines().next().unwrap_or_default().trim_end_matches([',', ' ']);
    Some(FoundDefinition { name, body: body_of(node), ..found })
}

/// `@media (max-width: 40rem)`, up to its block.
fn at_rule<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let body = body_of(node)?;
    let name = text.get(node.start_byte()..body)?.lines().next()?.trim_end();
    Some(FoundDefinition { name, body: Some(body), ..FoundDefinition::new(Kind::Section, node, text) })
}

fn body_of(node: Node<'_>) -> Option<usize> {
    child_of_kind(node, &["block", "keyframe_block_list"]).map(|block| block.start_byte())
}

fn import_statement(node: Node<'_>, text: &str, imports: &mut Vec<Import>) {
    let quoted = slice(node, text).split(['"', '\'']).nth(1);
    imports.extend(quoted.map(|path| import(node, "import", path)));
}
