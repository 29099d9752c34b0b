//! What is known about one language: how its files are called, what they are for, how they are read.

use vectorcode_core::{ContentClass, LanguageTraits};

use super::syntax::Syntax;

/// One language of the registry.
#[derive(Debug)]
pub struct Language {
    /// Lower case, as stored and filtered by: `typescript`.
    pub name: &'static str,
    /// As a person writes it: `TypeScript`.
    pub title: &'static str,
    /// Other names that people use: `golang`. Extensions and the title are understood without being listed here.
    pub aliases: &'static [&'static str],
    pub class: ContentClass,
    /// Without the dot, lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names that mean this language: `Dockerfile`.
    pub file_names: &'static [&'static str],
    /// Names of files that hold tests, where one `*` stands for anything: `*_test.go`.
    pub(crate) test_files: &'static [&'static str],
    /// How its code refers to definitions and files, for the code graph.
    pub traits: LanguageTraits,
    /// Files whose job in most projects is to re-export what other files define: `index.ts`.
    pub(crate) reexport_files: &'static [&'static str],
    /// Ends of names of files that only declare what other files define: `.d.ts`.
    pub(crate) declaration_endings: &'static [&'static str],
    /// In a question, a word with one of the extensions is a file name (`retry.ts`) and not a method (`model.r`).
    pub(crate) has_distinct_extensions: bool,
    pub(crate) structure: Structure,
}

/// Where the structure of a file comes from.
#[derive(Debug)]
pub(crate) enum Structure {
    /// A syntax tree.
    Tree(&'static Syntax),
    /// Markdown headings.
    Headings,
    /// None is known: windows of lines.
    Lines,
}

/// Folders whose files are tests in every language.
const TEST_FOLDERS: &[&str] =
    &["test", "tests", "__tests__", "spec", "specs", "testing", "testdata", "e2e", "Tests"];

impl Language {
    /// What the tables fill in where a language has nothing to say.
    pub(super) const PLAIN: Self = Self {
        name: "",
        title: "",
        aliases: &[],
        class: ContentClass::Code,
        extensions: &[],
        file_names: &[],
        test_files: &[],
        traits: LanguageTraits::PERMISSIVE,
        reexport_files: &[],
        declaration_endings: &[],
        has_distinct_extensions: true,
        structure: Structure::Lines,
    };

    /// Whether files of this language are chunked along their syntax tree in this build.
    pub fn has_grammar(&self) -> bool {
        matches!(self.structure, Structure::Tree(syntax) if syntax.has_grammar())
    }

    /// Whether a file's place or name says that it tests other code.
    pub fn is_test_path(&self, path: &str) -> bool {
        if self.class != ContentClass::Code {
            return false;
        }
        let (folders, file_name) = path.rsplit_once('/').unwrap_or(("", path));
        folders.split('/').any(|folder| TEST_FOLDERS.contains(&folder))
            || self.test_files.iter().any(|pattern| matches_pattern(file_name, pattern))
    }
}

fn matches_pattern(file_name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => {
            file_name.len() > before.len() + after.len()
                && file_name.starts_with(before)
                && file_name.ends_with(after)
        }
        None => file_name == pattern,
    }
}
