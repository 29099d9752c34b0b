//! C.

use vectorcode_core::ContentClass;

use super::c_family;
use super::c_macros::attribute_macros;
use super::language::{Language, Structure};
use super::syntax::Syntax;

pub static LANGUAGE: Language = Language {
    name: "c",
    title: "C",
    class: ContentClass::Code,
    extensions: &["c"],
    test_files: &["test_*.c", "*_test.c", "*-test.c"],
    traits: c_family::TRAITS,
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(&vectorcode_grammars::C, c_family::RULES)
    .with_locals(c_family::LOCALS)
    .with_name_roles(c_family::NAME_ROLES)
    .with_hidden(attribute_macros);
