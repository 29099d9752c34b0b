//! Everything that `docs/notes/specification.md` names exists: commands and flags, settings, variables, tools, tables and
//! paths.

use std::fs;
use std::path::{Path, PathBuf};

use vectorcode_core::config::{keys, sections, variables_of};

use crate::help::COMMANDS;
use crate::home::Home;

/// Read by the program, but not a setting: the token of `serve --http` must not be stored in a file.
const OTHER_VARIABLES: [&str; 1] = ["VECTORCODE_HTTP_TOKEN"];
/// Shorter names of commands.
const ALIASES: [&str; 1] = ["query"];
const STATES: [&str; 4] = ["met", "otherwise", "built", "open"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

struct Row {
    state: String,
    /// The last column: the location.
    place: String,
}

fn page() -> String {
    fs::read_to_string(root().join("docs/notes/specification.md")).unwrap()
}

fn rows(page: &str) -> Vec<Row> {
    let cells = |line: &str| -> Option<Row> {
        let line = line.strip_prefix("| ")?.strip_suffix(" |")?.replace("\\|", "/");
        let cells: Vec<&str> = line.split(" | ").collect();
        assert_eq!(cells.len(), 3, "{line}");
        (cells[1] != "state").then(|| Row { state: cells[1].into(), place: cells[2].into() })
    };
    page.lines().filter(|line| !line.starts_with("|---")).filter_map(cells).collect()
}

/// The texts in backticks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_row_has_a_state_and_the_page_counts_them() {
    let page = page();
    let rows = rows(&page);
    let [met, otherwise, built, open] =
        STATES.map(|state| rows.iter().filter(|row| row.state == state).count());
    assert_eq!(met + otherwise + built + open, rows.len(), "a state is one of {STATES:?}");
    let counts = format!(
        "Of {} rows {met} are met, {otherwise} otherwise, {built} are built, {open} are open.",
        rows.len()
    );
    assert!(page.contains(&counts), "write: {counts}");
}

#[test]
fn commands_parse_as_they_are_written() {
    let page = page();
    let home = Home::new();
    let wrong = |span: &&str| {
        let words: Vec<&str> = span.split(' ').collect();
        let is_command = COMMANDS.contains(&words[0]) || ALIASES.contains(&words[0]);
        is_command && home.run(&[words.as_slice(), &["--help"]].concat()).code != 0
    };
    let rows = rows(&page);
    let wrong: Vec<&str> = rows.iter().flat_map(|row| spans(&row.place)).filter(wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn settings_and_variables_exist() {
    let known: Vec<&str> = keys().iter().map(|key| key.name.as_str()).collect();
    let tables: Vec<&str> = sections().iter().map(|section| section.name.as_str()).collect();
    let variables: Vec<String> = known.iter().flat_map(|key| variables_of(key)).collect();
    let page = page();
    for row in rows(&page) {
        for span in spans(&row.place) {
            let is_variable =
                span.contains('_') && span.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            if is_variable {
                let is_known = variables.iter().any(|known| known == span) || OTHER_VARIABLES.contains(&span);
                assert!(is_known, "the variable {span}");
            }
            let section = span.split('.').next().unwrap_or_default();
            let is_key = !section.is_empty()
                && tables.contains(&section)
                && span.contains('.')
                && !span.contains([' ', '/', ':']);
            if is_key {
                assert!(known.contains(&span) || tables.contains(&span), "the setting {span}");
            }
        }
    }
}

#[test]
fn tools_tables_and_paths_exist() {
    let read = |folder: &str| -> String {
        let files = fs::read_dir(root().join(folder)).unwrap();
        files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap_or_default()).collect()
    };
    let tools = read("crates/vectorcode-server/src/mcp/tools");
    let schema = read("crates/vectorcode-store/src/sqlite/schema");
    let page = page();
    for row in rows(&page) {
        for span in spans(&row.place) {
            if span.starts_with("vec_") {
                let is_known =
                    tools.contains(&format!("name: \"{span}\"")) || schema.contains(&format!("{span} "));
                assert!(is_known, "the tool or table {span}");
            }
            let is_path =
                span.contains(['/', '.']) && !span.starts_with(['/', '.']) && !span.contains([' ', ':']);
            let is_file =
                is_path && (span.contains('/') || Path::new(span).extension().is_some_and(is_document));
            if is_file {
                let in_crate = span.split_once('/').is_some_and(|(name, rest)| {
                    let prefix = if name == "vectorcode" { "" } else { "vectorcode-" };
                    root().join("crates").join(format!("{prefix}{name}")).join(rest).exists()
                });
                assert!(in_crate || root().join(span).exists(), "the path {span}");
            }
        }
    }
}

fn is_document(extension: &std::ffi::OsStr) -> bool {
    ["md", "sh", "ps1", "lock"].iter().any(|known| extension == *known)
}
