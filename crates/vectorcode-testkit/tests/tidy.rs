//! House rules that a machine can check. A failure lists every violation, so one run is enough to fix them all.

#[path = "tidy/cycles.rs"]
mod cycles;
#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/one_home.rs"]
mod one_home;
#[path = "tidy/tokens.rs"]
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which crates of the workspace each crate may depend on. Dependencies go one way, and a new one is a change of the design.
const ALLOWED_EDGES: [(&str, &[&str]); 15] = [
    ("vectorcode-core", &[]),
    ("vectorcode-grammars", &[]),
    ("vectorcode-source", &["vectorcode-core", "vectorcode-grammars"]),
    ("vectorcode-embed", &["vectorcode-core"]),
    ("vectorcode-store", &["vectorcode-core"]),
    ("vectorcode-graph", &["vectorcode-core"]),
    ("vectorcode-history", &["vectorcode-core"]),
    (
        "vectorcode-engine",
        &[
            "vectorcode-core",
            "vectorcode-source",
            "vectorcode-embed",
            "vectorcode-store",
            "vectorcode-graph",
            "vectorcode-history",
        ],
    ),
    ("vectorcode-server", &["vectorcode-core", "vectorcode-engine"]),
    // Uses `embed` only for trusted certificate authorities, and `server` only for its traits about tokens and webhooks.
    (
        "vectorcode-team",
        &[
            "vectorcode-core",
            "vectorcode-embed",
            "vectorcode-engine",
            "vectorcode-history",
            "vectorcode-server",
        ],
    ),
    ("vectorcode-measure", &["vectorcode-core", "vectorcode-engine", "vectorcode-history"]),
    (
        "vectorcode",
        &[
            "vectorcode-core",
            "vectorcode-engine",
            "vectorcode-server",
            "vectorcode-team",
            "vectorcode-measure",
        ],
    ),
    ("vectorcode-eval", &["vectorcode-core", "vectorcode-engine", "vectorcode-measure", "vectorcode-server"]),
    ("vectorcode-testkit", &["vectorcode-core", "vectorcode-embed", "vectorcode-store"]),
    // Tests the built binary for minutes, and shares the tests' temporary projects. The crates that it fuzzes in process are
    // optional dependencies.
    (
        "vectorcode-torture",
        &[
            "vectorcode-testkit",
            "vectorcode-core",
            "vectorcode-engine",
            "vectorcode-history",
            "vectorcode-server",
            "vectorcode-source",
            "vectorcode-store",
        ],
    ),
];

/// Only tests may use it, and the tests of every crate may.
const TESTKIT: &str = "vectorcode-testkit";

/// Additional dependencies of tests: the graph is tested on real sources.
const TEST_EDGES: [(&str, &str); 1] = [("vectorcode-graph", "vectorcode-source")];

/// A longer file is hard to read. Exceptions for tables are listed here, relative to the workspace.
const MAX_LINES: usize = 800;
const LONG_TABLES: [&str; 0] = [];

/// What must not occur in any line of code, and what to do instead. Written in pieces, or this file would break its own
/// rules.
const FORBIDDEN: [(&str, &str); 5] = [
    (concat!("todo", "!("), "finish it, or leave it out"),
    (concat!("unimplemented", "!("), "finish it, or leave it out"),
    (concat!("dbg", "!("), "use tracing"),
    (concat!("#[ig", "nore"), "a test that does not run is no test"),
    (concat!("allow(dead", "_code)"), "remove what nobody uses"),
];

/// Where the name of a language may be a literal: the registry, and the grammars that the registry refers to.
const LANGUAGE_HOMES: [&str; 2] = ["crates/vectorcode-source/src/languages/", "crates/vectorcode-grammars/"];

/// Literals that happen to be the name of a language, with their real meaning.
const NO_LANGUAGES: [(&str, &str, &str); 3] = [
    ("crates/vectorcode-graph/src/resolve/lua.rs", "lua", "a folder on the module path"),
    ("crates/vectorcode-graph/src/resolve/python.rs", "python", "a folder on the module path"),
    ("crates/vectorcode/src/arg_values.rs", "h", "hours"),
];

struct SourceFile {
    /// Relative to the workspace, with `/`.
    path: String,
    text: String,
}

#[test]
fn crates_use_only_what_the_design_allows() {
    let allowed: BTreeMap<_, _> = ALLOWED_EDGES.into_iter().collect();
    let mut problems = Vec::new();
    for manifest in manifests() {
        let name = manifest["package"]["name"].as_str().expect("a package has a name").to_owned();
        let Some(allowed) = allowed.get(name.as_str()) else {
            problems.push(format!("{name} has no place in the design"));
            continue;
        };
        let in_builds = workspace_dependencies(&manifest, "build-dependencies");
        for dependency in workspace_dependencies(&manifest, "dependencies").union(&in_builds) {
            if !allowed.contains(&dependency.as_str()) {
                problems.push(format!("{name} may not use {dependency}"));
            }
        }
        for dependency in workspace_dependencies(&manifest, "dev-dependencies") {
            let is_for_tests = TEST_EDGES.contains(&(name.as_str(), dependency.as_str()));
            if dependency != TESTKIT && !is_for_tests && !allowed.contains(&dependency.as_str()) {
                problems.push(format!("the tests of {name} may not use {dependency}"));
            }
        }
    }
    report(&problems);
}

#[test]
fn every_file_says_what_it_is_for() {
    let lacks_header = |file: &&SourceFile| !file.text.starts_with("//!");
    let problems: Vec<_> = source_files()
        .iter()
        .filter(lacks_header)
        .map(|file| format!("{}: the first line is no `//!`", file.path))
        .collect();
    report(&problems);
}

#[test]
fn no_file_is_too_long() {
    let mut problems = Vec::new();
    for file in source_files() {
        let lines = file.text.lines().count();
        if lines > MAX_LINES && !LONG_TABLES.contains(&file.path.as_str()) {
            problems.push(format!("{}: {lines} lines, more than {MAX_LINES}", file.path));
        }
    }
    report(&problems);
}

#[test]
fn nothing_is_left_unfinished() {
    let mut problems = Vec::new();
    for file in source_files() {
        for (number, line) in file.text.lines().enumerate() {
            for (word, advice) in FORBIDDEN {
                if line.contains(word) {
                    problems.push(format!("{}:{}: {word}: {advice}", file.path, number + 1));
                }
            }
        }
    }
    report(&problems);
}

/// Everything known about a language is a field of `Language`, so that a new language does not need changes in scattered
/// lists.
#[test]
fn languages_are_named_in_their_registry_alone() {
    let files = source_files();
    let names = language_names(&files);
    assert!(names.len() > 20, "the registry does not look as this test expects: {names:?}");
    let elsewhere =
        files.iter().filter(|file| !LANGUAGE_HOMES.iter().any(|home| file.path.starts_with(home)));
    let mut problems = Vec::new();
    for (file, number, line) in elsewhere.filter(|file| !is_test(&file.path)).flat_map(product_lines) {
        for name in names.iter().filter(|name| line.contains(&format!("\"{name}\""))) {
            if !NO_LANGUAGES.iter().any(|(path, literal, _)| (*path, *literal) == (&file.path, name.as_str()))
            {
                problems.push(format!("{}:{number}: \"{name}\": make it a field of `Language`", file.path));
            }
        }
    }
    report(&problems);
}

/// The names of programming languages with a syntax tree. Others are left out: formats share their names with output formats
/// (`json`), and languages without a tree are often ordinary words (`less`).
fn language_names(files: &[SourceFile]) -> BTreeSet<String> {
    let in_registry = files.iter().filter(|file| file.path.starts_with(LANGUAGE_HOMES[0]));
    let languages = in_registry.flat_map(|file| file.text.split(": Language = Language {").skip(1));
    let code = languages.filter(|language| language.contains("class: ContentClass::Code"));
    let names = code.filter_map(|language| {
        let (_, rest) = language.split_once("name: \"")?;
        rest.split_once('"').map(|(name, _)| name.to_owned())
    });
    names.collect()
}

fn is_test(path: &str) -> bool {
    let for_tests =
        ["/tests/", "/benches/", "/examples/", "/fuzz/", "/testing.rs", "crates/vectorcode-testkit/"];
    for_tests.iter().any(|part| path.contains(part))
}

/// The lines of code before a file's unit tests, which are at its end, with their numbers.
fn product_lines(file: &SourceFile) -> impl Iterator<Item = (&SourceFile, usize, &str)> {
    let lines = file.text.lines().take_while(|line| *line != "mod tests {");
    let code = lines.enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.map(move |(index, line)| (file, index + 1, line))
}

#[test]
fn modules_of_a_crate_do_not_use_each_other_in_a_circle() {
    let cycles = cycles::import_cycles(&source_files()).into_iter().map(|chain| chain.join(", "));
    report(&cycles.collect::<Vec<_>>());
}

fn report(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

fn manifests() -> Vec<toml::Table> {
    let crates = fs::read_dir(workspace_root().join("crates")).expect("the workspace has crates");
    let paths = crates.map(|entry| entry.expect("crates can be listed").path().join("Cargo.toml"));
    paths
        .filter(|path| path.is_file())
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a manifest can be read");
            text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        })
        .collect()
}

/// The dependencies of a manifest's table that are crates of this workspace.
fn workspace_dependencies(manifest: &toml::Table, table: &str) -> BTreeSet<String> {
    let dependencies = manifest.get(table).and_then(toml::Value::as_table);
    let names = dependencies.into_iter().flat_map(toml::Table::keys);
    names.filter(|name| name.starts_with("vectorcode")).cloned().collect()
}

/// Every Rust file of every crate: sources, tests, benches, examples and build scripts.
fn source_files() -> Vec<SourceFile> {
    let root = workspace_root();
    let mut files = Vec::new();
    collect_files(&root, &root.join("crates"), &mut files);
    assert!(!files.is_empty(), "no source file below {}", root.display());
    files
}

fn collect_files(root: &Path, directory: &Path, files: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(directory).expect("a directory of the workspace can be listed") {
        let path = entry.expect("a directory of the workspace can be listed").path();
        if path.is_dir() {
            if !is_not_ours(&path) {
                collect_files(root, &path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file is UTF-8");
            let relative = path.strip_prefix(root).expect("it was found below the root");
            files.push(SourceFile { path: relative.to_string_lossy().replace('\\', "/"), text });
        }
    }
}

/// Build output, and code samples that tests parse.
fn is_not_ours(directory: &Path) -> bool {
    directory.file_name().is_some_and(|name| name == "target" || name == "fixtures")
}
