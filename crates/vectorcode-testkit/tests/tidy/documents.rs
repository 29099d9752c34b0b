//! Checks the documents of the repository: the files that they name exist, their links have targets, and a headline figure is
//! the same number everywhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{SourceFile, report, workspace_root};

/// Follows a figure in `docs/notes`, where it was measured; the figure's name comes next.
const FIGURE: &str = "<!-- figure: ";
/// Follows a copy of the same figure elsewhere.
const FIGURE_OF: &str = "<!-- figure of: ";
/// Units of measurement. A number with one of them in the README must be in a note, where its command is.
const UNITS: [&str; 2] = [" ms", " MB"];
/// A backticked word in ARCHITECTURE.md with one of these endings is the name of a file or folder.
const FILE_ENDINGS: [&str; 7] = [".rs", ".md", ".toml", ".sh", ".py", ".sql", "/"];

/// The Markdown files at the top of the repository, in `docs` and in `docs/notes`.
pub(super) fn documents() -> Vec<SourceFile> {
    let root = workspace_root();
    let in_folder = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).expect("a folder of documents can be listed");
        entries.map(|entry| entry.expect("a folder of documents can be listed").path()).collect::<Vec<_>>()
    };
    let pages = ["", "docs", "docs/notes"].into_iter().flat_map(in_folder);
    pages
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| SourceFile {
            text: fs::read_to_string(&path).expect("a document is UTF-8"),
            path: path
                .strip_prefix(&root)
                .expect("it is below the root")
                .to_string_lossy()
                .replace('\\', "/"),
        })
        .collect()
}

#[test]
fn relative_links_lead_to_files() {
    let mut problems = Vec::new();
    for page in documents() {
        let folder = workspace_root().join(&page.path).parent().expect("a page is in a folder").to_owned();
        for target in link_targets(&page.text) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !path.contains(':') && !folder.join(path).exists() {
                problems.push(format!("{}: the link to {target} leads nowhere", page.path));
            }
        }
    }
    report(&problems);
}

#[test]
fn links_to_sections_lead_to_headings() {
    let pages = documents();
    let headings: BTreeMap<PathBuf, Vec<String>> =
        pages.iter().map(|page| (workspace_root().join(&page.path), anchors(&page.text))).collect();
    let mut problems = Vec::new();
    for page in &pages {
        let folder = workspace_root().join(&page.path).parent().expect("a page is in a folder").to_owned();
        for target in link_targets(&page.text).filter(|target| !target.contains(':')) {
            let Some((path, anchor)) = target.split_once('#') else { continue };
            let linked = if path.is_empty() { workspace_root().join(&page.path) } else { folder.join(path) };
            let known = linked.canonicalize().ok().and_then(|linked| headings.get(&linked));
            if known.is_some_and(|known| !known.iter().any(|heading| heading == anchor)) {
                problems.push(format!("{}: {target} names no heading", page.path));
            }
        }
    }
    report(&problems);
}

/// The targets of Markdown links and images, as written.
fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// The anchors that GitHub creates for the headings of a page. Lines in code blocks that begin with `#` count too, which does
/// no harm.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.collect::<String>().replace(' ', "-")
        })
        .collect()
}

/// Paths in ARCHITECTURE.md are relative to the root, or to `crates` without `vectorcode-`. In a table row, they may also be
/// relative to a folder named earlier in the row.
#[test]
fn files_that_the_architecture_names_exist() {
    let text = fs::read_to_string(workspace_root().join("ARCHITECTURE.md")).expect("the page is there");
    let mut problems = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut folders = Vec::new();
        for name in line.split('`').skip(1).step_by(2).filter(|name| is_file_name(name)) {
            let found = named_path(name).or_else(|| {
                let is_row = line.starts_with('|') && !folders.is_empty();
                let searched = if is_row { folders.clone() } else { vec![workspace_root().join("crates")] };
                searched.iter().find_map(|folder| find_below(folder, name))
            });
            match found {
                Some(path) if path.is_dir() => folders.push(path),
                Some(path) => folders.push(path.parent().expect("a file is in a folder").to_owned()),
                None => problems.push(format!("ARCHITECTURE.md:{}: there is no {name}", number + 1)),
            }
        }
    }
    report(&problems);
}

fn is_file_name(name: &str) -> bool {
    let is_path = !name.starts_with('/') && !name.contains([' ', ':', '*', '<']);
    is_path && FILE_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn named_path(name: &str) -> Option<PathBuf> {
    let (first, rest) = name.split_once('/').unwrap_or((name, ""));
    let candidates = [name.to_owned(), format!("crates/{name}"), format!("crates/vectorcode-{first}/{rest}")];
    candidates.iter().map(|path| workspace_root().join(path)).find(|path| path.exists())
}

/// The first file or folder below this folder whose path ends with `name`.
fn find_below(folder: &Path, name: &str) -> Option<PathBuf> {
    let direct = folder.join(name);
    if direct.exists() {
        return Some(direct);
    }
    let entries = fs::read_dir(folder).ok()?;
    let folders = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_dir());
    folders.filter(|path| !path.ends_with("target")).find_map(|path| find_below(&path, name))
}

/// Each headline figure is marked once, in the note that has its command. Other pages repeat the same number.
#[test]
fn headline_figures_agree() {
    let pages = documents();
    let mut problems = Vec::new();
    let mut measured = BTreeMap::new();
    for page in pages.iter().filter(|page| page.path.starts_with("docs/notes/")) {
        for (name, value) in marked(&page.text, FIGURE) {
            if measured.insert(name, value).is_some() {
                problems.push(format!("{}: the figure {name} is marked twice", page.path));
            }
        }
    }
    assert!(!measured.is_empty(), "no figure is marked in docs/notes");
    for page in &pages {
        for (name, value) in marked(&page.text, FIGURE_OF) {
            match measured.get(name) {
                Some(expected) if *expected == value => {}
                Some(expected) => {
                    problems
                        .push(format!("{}: {name} is {value} here and {expected} in its note", page.path));
                }
                None => problems.push(format!("{}: no note has the figure {name}", page.path)),
            }
        }
    }
    report(&problems);
}

/// The names in these marks, each with the last number before it on the line. The page about the notes explains the marks
/// with a name in capitals, which is skipped.
fn marked<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    text.lines().flat_map(move |line| {
        line.match_indices(mark).filter_map(move |(start, _)| {
            let name = line[start + mark.len()..].split(" -->").next()?;
            let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
            let mut words = line[..start].split(|c: char| c.is_whitespace() || c == '*');
            let number = words.rfind(is_number).unwrap_or_default();
            (name != "NAME").then_some((name, number))
        })
    })
}

/// Every figure in the README is in a note too: scores like `0.898`, and numbers with a unit of [`UNITS`].
#[test]
fn figures_of_the_readme_are_in_the_notes() {
    let pages = documents();
    let readme = &pages.iter().find(|page| page.path == "README.md").expect("there is a README").text;
    let notes: Vec<&str> = pages
        .iter()
        .filter(|page| page.path.starts_with("docs/notes/"))
        .map(|page| page.text.as_str())
        .collect();
    let is_lost = |figure: &String| !notes.iter().any(|note| note.contains(figure.as_str()));
    let problems: Vec<_> = figures(readme)
        .into_iter()
        .filter(is_lost)
        .map(|figure| format!("README.md: {figure} is in no note"))
        .collect();
    report(&problems);
}

fn is_score(word: &str) -> bool {
    word.len() == 5 && word.starts_with("0.") && word[2..].bytes().all(|byte| byte.is_ascii_digit())
}

fn figures(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == ','));
    let mut figures: Vec<String> = words.filter(|word| is_score(word)).map(str::to_owned).collect();
    for unit in UNITS {
        for (start, _) in text.match_indices(unit) {
            let number =
                text[..start].rsplit(|c: char| !(c.is_ascii_digit() || c == '.')).next().unwrap_or_default();
            let ends = !text[start + unit.len()..].starts_with(|c: char| c.is_alphanumeric());
            if ends && !number.is_empty() {
                figures.push(format!("{number}{unit}"));
            }
        }
    }
    figures
}
