//! One home per fact: a default, a list of words, a setting's name, SQL. These checks fail if a second one appears.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use vectorcode_core::api::{
    ArtifactFilter, ClassFilter, ContextAction, GraphAction, GraphFormat, SearchMode, TestFilter,
};
use vectorcode_core::config::{Key, Pooling, ProviderName, keys, sections};
use vectorcode_core::{Choice, ContentClass, DefinitionKind};

use super::documents::documents;
use super::{SourceFile, report, source_files, workspace_root};

/// The word lists of core, with their names.
fn word_lists() -> Vec<(&'static str, Vec<&'static str>)> {
    fn list<C: Choice>() -> (&'static str, Vec<&'static str>) {
        (C::NOUN, C::CHOICES.iter().map(|choice| choice.as_str()).collect())
    }
    vec![
        list::<ArtifactFilter>(),
        list::<ClassFilter>(),
        list::<ContentClass>(),
        list::<ContextAction>(),
        list::<DefinitionKind>(),
        list::<GraphAction>(),
        list::<GraphFormat>(),
        list::<Pooling>(),
        list::<ProviderName>(),
        list::<SearchMode>(),
        list::<TestFilter>(),
    ]
}

/// The source files that are shipped: no tests, benches, examples or build scripts.
fn shipped_sources() -> Vec<SourceFile> {
    let is_shipped = |file: &SourceFile| file.path.contains("/src/") && !file.path.contains("/tests/");
    let shipped = source_files().into_iter().filter(is_shipped);
    shipped
        .map(|file| {
            let end = file.text.find("#[cfg(test)]\nmod ").unwrap_or(file.text.len());
            SourceFile { text: file.text[..end].to_owned(), ..file }
        })
        .collect()
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// Whether the file belongs to one of these crates.
fn is_in(file: &SourceFile, crates: &[&str]) -> bool {
    crates.iter().any(|name| file.path.starts_with(&format!("crates/{name}/")))
}

/// Every `[...]` that contains only string literals, with its offset and its strings.
fn string_lists(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    text.match_indices('[').filter_map(|(start, _)| {
        let inside = &text[start + 1..];
        let items =
            inside[..inside.find([']', '['])?].split(',').map(str::trim).filter(|item| !item.is_empty());
        let strings: Option<Vec<&str>> =
            items.map(|item| item.strip_prefix('"')?.strip_suffix('"')).collect();
        strings.filter(|strings| strings.len() > 1).map(|strings| (start, strings))
    })
}

#[test]
fn words_to_choose_from_are_listed_in_core_only() {
    let lists = word_lists();
    let mut problems = Vec::new();
    for file in shipped_sources().iter().filter(|file| !is_in(file, &["vectorcode-core"])) {
        for (offset, strings) in string_lists(&file.text) {
            let found: BTreeSet<&str> = strings.iter().copied().collect();
            let is_copy = |words: &[&str]| {
                found.len() + 1 >= words.len() && found.iter().all(|word| words.contains(word))
            };
            if let Some((noun, _)) = lists.iter().find(|(_, words)| is_copy(words)) {
                let line = line_of(&file.text, offset);
                problems.push(format!("{}:{line}: use the {noun} list of core, not a copy", file.path));
            }
        }
    }
    report(&problems);
}

/// The current directory may be an untrusted project that contains a program of that name.
#[test]
fn programs_are_started_by_the_paths_that_core_finds() {
    let by_name = concat!("Command::ne", "w(\"");
    let mut problems = Vec::new();
    for file in
        shipped_sources().iter().filter(|file| !is_in(file, &["vectorcode-testkit", "vectorcode-torture"]))
    {
        for (offset, _) in file.text.match_indices(by_name) {
            let line = line_of(&file.text, offset);
            problems.push(format!("{}:{line}: find the program with core::programs", file.path));
        }
    }
    report(&problems);
}

#[test]
fn help_texts_take_defaults_from_the_settings() {
    let mark = concat!("[def", "ault: ");
    let mut problems = Vec::new();
    for file in shipped_sources().iter().filter(|file| is_in(file, &["vectorcode"])) {
        for (offset, _) in file.text.match_indices(mark) {
            let value = &file.text[offset + mark.len()..];
            if value.starts_with(|c: char| c.is_ascii_digit() || c == '"') {
                let line = line_of(&file.text, offset);
                problems.push(format!(
                    "{}:{line}: a default belongs in config/schema.rs; see `with_default`",
                    file.path
                ));
            }
        }
    }
    report(&problems);
}

#[test]
fn sql_is_written_in_the_store_only() {
    let statements =
        ["SELECT ", "INSERT ", "UPDATE ", "DELETE FROM", "CREATE TABLE", "PRAGMA ", "DROP TABLE"];
    let mut problems = Vec::new();
    for file in
        shipped_sources().iter().filter(|file| !is_in(file, &["vectorcode-store", "vectorcode-torture"]))
    {
        for statement in statements {
            if let Some(offset) = file.text.find(&format!("\"{statement}")) {
                let line = line_of(&file.text, offset);
                problems.push(format!("{}:{line}: SQL belongs in vectorcode-store", file.path));
            }
        }
    }
    report(&problems);
}

/// What both backends share is in `index`. Either backend could be removed without the other.
#[test]
fn backends_of_the_store_do_not_know_each_other() {
    let sqlite = ["rusqlite", "crate::sqlite", "SqliteStore"];
    let postgres = ["tokio_postgres", "crate::postgres", "PostgresStore"];
    let walls = [
        ("sqlite", postgres.to_vec()),
        ("postgres", sqlite.to_vec()),
        ("index", [sqlite, postgres].concat()),
        ("contract", [sqlite, postgres].concat()),
    ];
    let mut problems = Vec::new();
    for file in shipped_sources() {
        let Some(inside) = file.path.strip_prefix("crates/vectorcode-store/src/") else { continue };
        let of_folder = |(folder, _): &&(&str, Vec<&str>)| inside.split('/').next() == Some(*folder);
        let Some((_, strangers)) = walls.iter().find(of_folder) else { continue };
        let code = file.text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (line, text) in code {
            for stranger in strangers.iter().filter(|name| text.contains(**name)) {
                problems.push(format!("{}:{}: {stranger}", file.path, line + 1));
            }
        }
    }
    report(&problems);
}

#[test]
fn only_programs_print() {
    let programs = ["vectorcode", "vectorcode-eval", "vectorcode-torture"];
    let mut problems = Vec::new();
    for file in shipped_sources().iter().filter(|file| !is_in(file, &programs)) {
        for word in [concat!("print", "ln!("), concat!("eprint", "ln!("), concat!("std::io::std", "out")] {
            if let Some(offset) = file.text.find(word) {
                let line = line_of(&file.text, offset);
                problems.push(format!("{}:{line}: {word}: return it, or use tracing", file.path));
            }
        }
    }
    report(&problems);
}

/// Quoted or backticked words such as `search.default_limit`: how code and documents name a setting.
fn named_settings(text: &str, quote: char) -> impl Iterator<Item = (usize, &str)> {
    let tops = sections().iter().map(|section| section.name.as_str()).filter(|name| !name.contains('.'));
    let tops: Vec<String> = tops.filter(|name| !name.is_empty()).map(|name| format!("{name}.")).collect();
    text.match_indices(quote).filter_map(move |(start, _)| {
        let rest = &text[start + 1..];
        let word = &rest[..rest.find(quote)?];
        let is_key = |c: char| c.is_ascii_lowercase() || c == '_' || c == '.';
        let is_file = [".js", ".rs", ".ts", ".py", ".html"].iter().any(|end| word.ends_with(end));
        let is_setting = tops.iter().any(|top| word.starts_with(top.as_str())) && word.chars().all(is_key);
        (is_setting && !is_file).then_some((start, word))
    })
}

#[test]
fn every_setting_that_is_named_exists() {
    let known: BTreeSet<&str> = keys()
        .iter()
        .map(|key| key.name.as_str())
        .chain(sections().iter().map(|section| section.name.as_str()))
        .collect();
    let mut texts: Vec<(SourceFile, char)> = shipped_sources().into_iter().map(|file| (file, '"')).collect();
    texts.extend(documents().into_iter().map(|file| (file, '`')));
    let mut problems = Vec::new();
    for (file, quote) in &texts {
        for (offset, name) in named_settings(&file.text, *quote).filter(|(_, name)| !known.contains(name)) {
            problems.push(format!(
                "{}:{}: there is no setting {name}",
                file.path,
                line_of(&file.text, offset)
            ));
        }
    }
    report(&problems);
}

const PAGE: &str = "docs/configuration.md";

/// The page is generated: `UPDATE_DOCS=1 cargo test -p vectorcode-testkit --test tidy` writes it.
#[test]
fn the_page_of_settings_is_made_from_the_settings() {
    let path = workspace_root().join(PAGE);
    let expected = settings_page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &expected).expect("the page can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{PAGE} is out of date; run this test with UPDATE_DOCS=1");
}

const INTRODUCTION: &str = "\
# Configuration

<!-- Generated from crates/vectorcode-core/src/config/schema.rs; edit the comments there. -->

Every setting is optional. Later sources take precedence:

1. the defaults below
2. the user's file, `vectorcode config path --user`
3. the project's file, `.vectorcode/config.toml`
4. environment variables
5. options of the command line

`vectorcode config show` lists the values in effect and where each comes from; `config get` and `config set` read and
change one. `vectorcode init` writes a file with every setting as a comment. A running server applies changes of the files
by itself.

Every setting has an environment variable: `VECTORCODE_`, then the key in capitals with `_` for each dot, such as
`VECTORCODE_SEARCH_DEFAULT_LIMIT`. Lists are written with commas, or as in a file. Where a row names another variable, that one
works too. Well-known variables of other programs apply if nothing else is set for the same key: `OLLAMA_HOST`,
`OPENAI_BASE_URL`, `GOOGLE_API_KEY`.
";

fn settings_page() -> String {
    let mut page = String::from(INTRODUCTION);
    for section in sections() {
        let title =
            if section.name.is_empty() { "Top level".into() } else { format!("`[{}]`", section.name) };
        let description = if section.name.is_empty() { "" } else { section.description.as_str() };
        let _ = write!(page, "\n## {title}\n\n{}", description.replace('\n', " "));
        page.push_str(if description.is_empty() { "" } else { "\n\n" });
        page.push_str("| key | default | meaning |\n|---|---|---|\n");
        for key in keys().iter().filter(|key| key.section() == section.name) {
            let _ = writeln!(page, "{}", settings_row(key));
        }
    }
    page
}

fn settings_row(key: &Key) -> String {
    let default = key.default.as_ref().map_or("unset".into(), |value| format!("`{value}`"));
    let variable = key.variable.map_or_else(String::new, |name| format!(" Environment: `{name}`."));
    format!("| `{}` | {default} | {}{variable} |", key.last_name(), key.description)
}

/// The lists of the web page are in HTML, where Rust constants cannot be used, so this checks that they are the same.
#[test]
fn the_web_page_offers_the_words_of_core() {
    let path = "crates/vectorcode-server/web/index.html";
    let text = fs::read_to_string(workspace_root().join(path)).expect("the page is there");
    let mut problems = Vec::new();
    let offered = [
        ("class", ClassFilter::WORDS.to_vec()),
        ("tests", TestFilter::WORDS.to_vec()),
        ("mode", SearchMode::WORDS.to_vec()),
    ];
    for (name, words) in offered {
        let options = options_of(&text, name);
        if options.iter().collect::<BTreeSet<_>>() != words.iter().collect() {
            problems.push(format!("{path}: {name} offers {options:?}, core has {words:?}"));
        }
    }
    report(&problems);
}

/// The values of the `<select>` with this name.
fn options_of<'t>(page: &'t str, name: &str) -> Vec<&'t str> {
    let start = page.find(&format!("name=\"{name}\"")).unwrap_or(page.len());
    let select = page[start..].split("</select>").next().unwrap_or_default();
    select.split("value=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}
