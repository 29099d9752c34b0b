//! Ruby.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind, LanguageTraits, ModuleSystem};

use super::language::{Language, Structure};
use super::syntax::{
    Callee, FoundDefinition, Local, Meaning, Rule, Syntax, field_text, import, slice, unquoted, whole,
};

pub static LANGUAGE: Language = Language {
    name: "ruby",
    title: "Ruby",
    class: ContentClass::Code,
    extensions: &["rb", "rake", "gemspec", "ru", "jbuilder"],
    interpreters: &["ruby", "jruby"],
    file_names: &[
        "Rakefile",
        "Gemfile",
        "Guardfile",
        "Capfile",
        "Vagrantfile",
        "Podfile",
        "Fastfile",
        "Brewfile",
    ],
    test_files: &["*_test.rb", "*_spec.rb", "test_*.rb"],
    traits: LanguageTraits {
        reopens_types: true,
        module_system: Some(ModuleSystem::Ruby),
        implicit_self: true,
        ..LanguageTraits::PERMISSIVE
    },
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(
    &vectorcode_grammars::RUBY,
    &[
        ("class", Rule::Define(Kind::Class)),
        ("module", Rule::Define(Kind::Module)),
        ("method", Rule::Define(Kind::Function)),
        ("singleton_method", Rule::Define(Kind::Method)),
        ("assignment", Rule::DefineBy(constant)),
        ("comment", Rule::Lead),
        ("call", Rule::Decide(call)),
        ("identifier", Rule::Decide(bare_call)),
        ("constant", Rule::TypeName),
        ("string_content", Rule::Skip),
    ],
)
.with_bases(&[("superclass", whole), ("call", included)], &[("scope_resolution", "scope")])
.with_locals(&[("assignment", Local::new("left", "", "right"))]);

/// Only constants matter outside of the file.
fn constant<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("left").filter(|left| left.kind() == "constant")?;
    Some(FoundDefinition::new(Kind::Constant, name, text))
}

/// `include Comparable`: the modules that a class gets methods from.
fn included<'t>(call: Node<'t>, text: &str) -> Option<Node<'t>> {
    let is_mixin = matches!(field_text(call, "method", text)?, "include" | "prepend" | "extend");
    call.child_by_field_name("arguments")
        .filter(|_| is_mixin && call.child_by_field_name("receiver").is_none())
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    let Some(name) = field_text(node, "method", text) else { return Meaning::Nothing };
    let receiver = field_text(node, "receiver", text);
    let path = match name {
        _ if receiver.is_some() => None,
        "require" | "require_relative" | "load" => string_argument(node, 0, text),
        "autoload" => string_argument(node, 1, text),
        _ => None,
    };
    match path {
        Some(path) => Meaning::Import(vec![import(node, name, path)]),
        None => Meaning::Call(Callee { name, receiver }),
    }
}

/// A call without arguments looks like a local variable, except `ready?` and `flush!`, which the grammar recognises. A name
/// that stands alone as a statement is taken for a call.
fn bare_call<'t>(node: Node<'t>, text: &'t str) -> Meaning<'t> {
    const BLANK: [char; 2] = [' ', '\t'];
    let name = slice(node, text);
    let before = text.get(..node.start_byte()).unwrap_or_default().trim_end_matches(BLANK);
    let after = text.get(node.end_byte()..).unwrap_or_default().trim_start_matches(BLANK);
    let is_alone = (before.is_empty() || before.ends_with(['\n', ';'])) && ends_statement(after);
    let is_call = is_alone && !name.ends_with(['?', '!']) && !VISIBILITIES.contains(&name);
    Meaning::call(is_call.then_some(Callee { name, receiver: None }))
}

/// Calls according to the grammar, but of methods that no project defines.
const VISIBILITIES: [&str; 4] = ["module_function", "private", "protected", "public"];

fn ends_statement(after: &str) -> bool {
    const MODIFIERS: [&str; 5] = ["if ", "unless ", "while ", "until ", "rescue "];
    after.is_empty()
        || after.starts_with(['\n', '\r', ';', '#'])
        || MODIFIERS.iter().any(|word| after.starts_with(word))
}

fn string_argument<'t>(call: Node<'_>, place: u32, text: &'t str) -> Option<&'t str> {
    let argument = call.child_by_field_name("arguments")?.named_child(place)?;
    (argument.kind() == "string").then(|| unquoted(slice(argument, text)))
}
