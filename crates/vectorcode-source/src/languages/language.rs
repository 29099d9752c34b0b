//! What is known about one language.

use vectorcode_core::ContentClass;

/// One language: how its files are called and what they are for.
#[derive(Debug)]
pub struct Language {
    /// Lower case, as stored and filtered by: `typescript`.
    pub name: &'static str,
    /// As a person writes it: `TypeScript`.
    pub title: &'static str,
    pub class: ContentClass,
    /// Without the dot, lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names that mean this language: `Dockerfile`.
    pub file_names: &'static [&'static str],
}
