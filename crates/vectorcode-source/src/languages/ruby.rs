//! Ruby.

use tree_sitter::Node;
use vectorcode_core::{ContentClass, DefinitionKind as Kind, LanguageTraits, ModuleSystem};

use super::language::{Language, Structure};
use super::syntax::{
    Callee, FoundDefinition, Local, Meaning, Rule, Syntax, field_text, import, slice, unquoted,
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
        ("superclass", Rule::TypeRegion),
        ("constant", Rule::TypeName),
        ("string_content", Rule::Skip),
    ],
)
.with_locals(&[("assignment", Local::new("left", "", "right"))]);

/// Only constants are anyone else's business.
fn constant<'t>(node: Node<'t>, text: &'t str) -> Option<FoundDefinition<'t>> {
    let name = node.child_by_field_name("left").filter(|left| left.kind() == "constant")?;
    Some(FoundDefinition::new(Kind::Constant, name, text))
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

fn string_argument<'t>(call: Node<'_>, place: u32, text: &'t str) -> Option<&'t str> {
    let argument = call.child_by_field_name("arguments")?.named_child(place)?;
    (argument.kind() == "string").then(|| unquoted(slice(argument, text)))
}
