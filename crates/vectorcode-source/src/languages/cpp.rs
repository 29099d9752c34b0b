//! C++, and the headers that C and C++ share.

use vectorcode_core::ContentClass;

use super::c_family;
use super::c_macros::attribute_macros;
use super::language::{Language, Structure};
use super::syntax::Syntax;

pub static LANGUAGE: Language = Language {
    name: "cpp",
    title: "C++",
    class: ContentClass::Code,
    extensions: &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "inl", "ipp", "tpp", "ixx", "cppm"],
    test_files: &["*_test.cc", "*_test.cpp", "test_*.cpp", "*_unittest.cc", "*-test.cc", "*-test.cpp"],
    traits: c_family::TRAITS,
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

/// A `.h` file may be C or C++. Nearly all C headers can be parsed as C++.
pub static HEADER: Language = Language {
    name: "h",
    title: "C/C++ header",
    class: ContentClass::Code,
    extensions: &["h"],
    shared_by: &["c", "cpp"],
    test_files: &["test_*.h", "*_test.h", "*-test.h"],
    traits: c_family::TRAITS,
    structure: Structure::Tree(&SYNTAX),
    ..Language::PLAIN
};

static SYNTAX: Syntax = Syntax::new(&vectorcode_grammars::CPP, c_family::RULES)
    .with_locals(c_family::LOCALS)
    .with_bases(c_family::BASES, c_family::NO_BASES)
    .with_name_roles(c_family::NAME_ROLES)
    .with_hidden(attribute_macros);
