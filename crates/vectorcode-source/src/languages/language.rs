//! The definition of one language: its file names, its traits, and how its files are parsed.

use vectorcode_core::{ContentClass, Import, LanguageTraits};

use super::syntax::Syntax;

/// A language in the registry.
#[derive(Debug)]
pub struct Language {
    /// Lower case, as it is stored and used in filters: `typescript`.
    pub name: &'static str,
    /// The display name: `TypeScript`.
    pub title: &'static str,
    /// Other common names: `golang`. Extensions and the title are recognised without being listed here.
    pub aliases: &'static [&'static str],
    pub class: ContentClass,
    /// The languages that its files may be written in, if their names do not tell which.
    pub(crate) shared_by: &'static [&'static str],
    /// Without the dot, lower case.
    pub extensions: &'static [&'static str],
    /// Full file names of this language: `Dockerfile`.
    pub file_names: &'static [&'static str],
    /// Interpreters of its scripts, as they are named in a `#!` line, without a version.
    pub(crate) interpreters: &'static [&'static str],
    /// Name patterns of test files, in which one `*` matches anything: `*_test.go`.
    pub(crate) test_files: &'static [&'static str],
    /// Prefixes of test names, if a function is a test because of its name.
    pub(crate) test_names: &'static [&'static str],
    /// How its code refers to definitions and files, for the code graph.
    pub traits: LanguageTraits,
    /// Files that in most projects re-export what other files define: `index.ts`.
    pub(crate) reexport_files: &'static [&'static str],
    /// Suffixes of files that only declare what other files define: `.d.ts`.
    pub(crate) declaration_endings: &'static [&'static str],
    /// Whether a word with one of the extensions is a file name in a query (`retry.ts`) rather than a method (`model.r`).
    pub(crate) has_distinct_extensions: bool,
    pub(crate) structure: Structure,
    /// Finds imports in the text, for a language without a grammar.
    pub(crate) text_importer: Option<TextImporter>,
    /// How many times larger than the usual maximum its files may be.
    pub(crate) size_factor: u64,
}

/// Where the structure of a file comes from.
#[derive(Debug)]
pub(crate) enum Structure {
    /// A syntax tree.
    Tree(&'static Syntax),
    /// Markdown headings.
    Headings,
    /// Parts in several languages.
    Component(ComponentLayout),
    /// The cells of a Jupyter notebook.
    Notebook,
    /// No known structure: windows of lines.
    Lines,
}

/// How the parts of a single-file component are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComponentLayout {
    /// Elements for script, template and style, as in Vue.
    Blocks,
    /// Markup around elements for script and style, as in Svelte.
    Markup,
    /// As in Svelte, but after code between two lines of dashes, as in Astro.
    FrontMatter,
}

/// Finds the imports of a language without a grammar in its text. The second argument is the number of the first line.
pub(crate) type TextImporter = fn(&str, u32) -> Vec<Import>;

/// Folders that contain tests in every language.
const TEST_FOLDERS: &[&str] =
    &["test", "tests", "__tests__", "spec", "specs", "testing", "testdata", "e2e", "Tests"];

impl Language {
    /// Defaults for the fields that a language does not set.
    pub(super) const PLAIN: Self = Self {
        name: "",
        title: "",
        aliases: &[],
        class: ContentClass::Code,
        shared_by: &[],
        extensions: &[],
        file_names: &[],
        interpreters: &[],
        test_files: &[],
        test_names: &[],
        traits: LanguageTraits::PERMISSIVE,
        reexport_files: &[],
        declaration_endings: &[],
        has_distinct_extensions: true,
        structure: Structure::Lines,
        text_importer: None,
        size_factor: 1,
    };

    /// Whether this build chunks files of this language by their syntax tree.
    pub fn has_grammar(&self) -> bool {
        matches!(self.structure, Structure::Tree(syntax) if syntax.has_grammar())
    }

    /// Whether a function in a test file is a test and not a fixture or helper, judged by its name. `None` if names do not
    /// tell.
    pub fn is_test_name(&self, name: &str) -> Option<bool> {
        (!self.test_names.is_empty()).then(|| self.test_names.iter().any(|start| name.starts_with(start)))
    }

    /// Whether the folder or name of a file shows that it is a test.
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
