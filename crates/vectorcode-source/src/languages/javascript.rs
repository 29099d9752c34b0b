//! JavaScript, with JSX.

use vectorcode_core::ContentClass;

use super::ecmascript;
use super::language::{Language, Structure};
use super::syntax::Syntax;

pub static LANGUAGE: Language = Language {
    name: "javascript",
    title: "JavaScript",
    class: ContentClass::Code,
    extensions: &["js", "jsx", "mjs", "cjs"],
    interpreters: &["node", "nodejs"],
    test_files: ecmascript::TEST_FILES,
    traits: ecmascript::TRAITS,
    reexport_files: &["index.js", "index.mjs"],
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(&vectorcode_grammars::JAVASCRIPT, ecmascript::RULES)
    .with_locals(ecmascript::LOCALS)
    .with_bases(ecmascript::BASES, ecmascript::NO_BASES)
    .with_name_roles(ecmascript::NAME_ROLES);
