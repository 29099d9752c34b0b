//! TypeScript and TSX: two grammars of one crate.

use vectorcode_core::ContentClass;

use super::ecmascript;
use super::language::{Language, Structure};
use super::syntax::Syntax;

pub static TYPESCRIPT: Language = Language {
    name: "typescript",
    title: "TypeScript",
    class: ContentClass::Code,
    extensions: &["ts", "mts", "cts"],
    // These also run JavaScript, and TypeScript's grammar accepts nearly all of it.
    interpreters: &["deno", "bun", "ts-node", "tsx"],
    test_files: ecmascript::TEST_FILES,
    traits: ecmascript::TRAITS,
    reexport_files: &["index.ts"],
    declaration_endings: &[".d.ts"],
    structure: Structure::Tree(&TYPESCRIPT_SYNTAX),
    ..Language::PLAIN
};

pub static TSX: Language = Language {
    name: "tsx",
    title: "TSX",
    class: ContentClass::Code,
    extensions: &["tsx"],
    test_files: ecmascript::TEST_FILES,
    traits: ecmascript::TRAITS,
    reexport_files: &["index.tsx"],
    structure: Structure::Tree(&TSX_SYNTAX),
    ..Language::PLAIN
};

static TYPESCRIPT_SYNTAX: Syntax = Syntax::new(&vectorcode_grammars::TYPESCRIPT, ecmascript::RULES)
    .with_locals(ecmascript::LOCALS)
    .with_bases(ecmascript::BASES, ecmascript::NO_BASES)
    .with_name_roles(ecmascript::NAME_ROLES);

static TSX_SYNTAX: Syntax = Syntax::new(&vectorcode_grammars::TSX, ecmascript::RULES)
    .with_locals(ecmascript::LOCALS)
    .with_bases(ecmascript::BASES, ecmascript::NO_BASES)
    .with_name_roles(ecmascript::NAME_ROLES);
