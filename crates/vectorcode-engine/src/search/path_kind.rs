//! Classifies code by its path: example, list of re-exports, declaration, test, documentation.

use vectorcode_core::ContentClass;
use vectorcode_source::{is_declaration_file, is_folder_stem, is_header, is_reexport_file, is_web_page};

/// Folders whose code shows how to use other code.
const EXAMPLE_FOLDERS: [&str; 14] = [
    "example",
    "examples",
    "_examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "docs_src",
    "doc_src",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "sandbox",
];

/// Folders of code that was copied from elsewhere or kept for old versions.
const FOREIGN_FOLDERS: [&str; 13] = [
    "vendor",
    "_vendor",
    "vendored",
    "third_party",
    "thirdparty",
    "3rdparty",
    "external",
    "node_modules",
    "compat",
    "_compat",
    "legacy",
    "deprecated",
    "dist",
];

/// Folders of manuals and of the project's web site. Their pages and data describe in prose what the code does.
const DOCUMENT_FOLDERS: [&str; 10] =
    ["doc", "docs", "_docs", "_posts", "documentation", "guide", "guides", "man", "manual", "website"];

/// Folders of tests and of test data. Those for code are in the language registry; this list also covers folders
/// whose data is not a useful result, such as `tests/jq.test`.
const TEST_FOLDERS: [&str; 19] = [
    "test",
    "tests",
    "__tests__",
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "__testfixtures__",
    "fixture",
    "fixtures",
    "mocks",
    "stub",
    "stubs",
    "testdata",
    "test-data",
    "test_data",
    "testing",
    "test-utils",
    "e2e",
    "playground",
];

/// Marks between the name and the extension of a test file: `timers.suite.ts`.
const TEST_MARKS: [&str; 8] =
    [".suite.", ".fixture.", ".mock.", ".stub.", ".stories.", ".bench.", ".e2e.", ".cy."];

/// File stems that carry no meaning in any language; language-specific ones are in the language registry.
const GENERIC_STEMS: [&str; 5] = ["index", "main", "lib", "init", "default"];

/// The facts about a path that ranking uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathKind {
    /// In a folder of examples, demos or benchmarks.
    pub example: bool,
    /// Copied from elsewhere or kept for old versions: `vendor/`, `node_modules/`, `legacy/`.
    pub foreign: bool,
    /// A test, or data and test doubles.
    pub test: bool,
    /// A file that usually only re-exports what others define, by its name: `index.ts`, `__init__.py`.
    pub barrel: bool,
    /// A TypeScript or Python stub, which declares what another file defines.
    pub declarations: bool,
    /// A header, which may declare what another file defines.
    pub header: bool,
    /// In a folder of documentation.
    pub beside_docs: bool,
    /// An HTML page or a style sheet.
    pub web_page: bool,
}

impl PathKind {
    pub fn of(path: &str) -> Self {
        let (folders, name) = folders_and_name(path);
        Self::of_folders(folders).and_name(name)
    }

    /// Facts from the folders alone. Compared in place: a search does this for several hundred paths, and lower-case
    /// copies took half of its time.
    pub fn of_folders(folders: &str) -> Self {
        let among = |names: &[&str]| {
            folders.split('/').any(|folder| names.iter().any(|name| name.eq_ignore_ascii_case(folder)))
        };
        Self {
            example: among(&EXAMPLE_FOLDERS),
            foreign: among(&FOREIGN_FOLDERS),
            test: among(&TEST_FOLDERS),
            beside_docs: among(&DOCUMENT_FOLDERS),
            ..Self::default()
        }
    }

    /// Adds the facts from a file name in these folders.
    pub fn and_name(self, name: &str) -> Self {
        Self {
            test: self.test || TEST_MARKS.iter().any(|mark| name.contains(mark)),
            barrel: is_reexport_file(name),
            declarations: is_declaration_file(name),
            header: is_header(name),
            web_page: is_web_page(name),
            ..self
        }
    }
}

impl PathKind {
    /// Whether a file is documentation: a document, or a page or data in a folder of documentation.
    pub fn is_document(self, class: ContentClass) -> bool {
        match class {
            ContentClass::Docs => true,
            ContentClass::Config => self.beside_docs,
            ContentClass::Code => self.beside_docs && self.web_page,
        }
    }
}

/// Splits a path into its folders and its file name.
pub(crate) fn folders_and_name(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The name that people use for a file: its stem, or its folder's name if the stem carries no meaning (`mod.rs`,
/// `index.ts`).
pub(crate) fn spoken_name(path: &str) -> &str {
    let (folders, name) = folders_and_name(path);
    let stem = name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    let folder = folders.rsplit('/').next().unwrap_or("");
    let says_nothing = GENERIC_STEMS.contains(&stem) || is_folder_stem(stem);
    if says_nothing && !folder.is_empty() { folder } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_names_tell_the_kind() {
        assert!(PathKind::of("examples/todo/main.rs").example);
        assert!(PathKind::of("src/Vendor/zlib.c").foreign);
        assert!(PathKind::of("pkg/__init__.py").barrel);
        for path in
            ["test/timers.suite.ts", "src/Console/stubs/job.php", "src/__fixtures__/a.js", "lib/a.mock.ts"]
        {
            assert!(PathKind::of(path).test, "{path}");
        }
        assert!(!PathKind::of("src/suite.ts").test && !PathKind::of("src/stubs.rs").test);
        assert_eq!(PathKind::of("src/router.rs"), PathKind::default());
    }

    #[test]
    fn data_and_pages_beside_documents_are_documents() {
        let is_document = |path: &str, class| PathKind::of(path).is_document(class);
        assert!(is_document("docs/content/manual.yml", ContentClass::Config));
        assert!(is_document("website/templates/features/builder.html", ContentClass::Code));
        assert!(
            !is_document("docs/conf.py", ContentClass::Code) && !is_document("ci.yml", ContentClass::Config)
        );
        assert!(!is_document("src/templates/login.html", ContentClass::Code));
    }

    #[test]
    fn a_file_that_stands_for_its_folder_has_the_name_of_the_folder() {
        assert_eq!(spoken_name("axum/src/routing/mod.rs"), "routing");
        assert_eq!(spoken_name("lib/curl_setup.h"), "curl_setup");
        assert_eq!(spoken_name("a/.bashrc"), ".bashrc");
        assert_eq!(spoken_name("plugins/node.plugin.bash"), "node");
        assert_eq!(spoken_name("main.go"), "main");
    }
}
