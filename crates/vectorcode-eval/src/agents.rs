//! Measures how many tokens an agent reads until it sees the file, the function and the lines that a bug report is about.
//!
//! The agent calls `vec_search` with the title of the report, or with its whole text, and reads page after page. It has found
//! the file once a line names it, and the function once a line that the fix changes is shown. Otherwise, after the page, it
//! reads a listed location that contains such a line, or the outline of a listed right file and the definition there, and
//! these tokens count too. Also measured: the changed lines that are shown within the first tokens, and how many of the shown
//! lines are changed ones. The baseline is an agent with ripgrep: it searches for the three rarest words of the title, then
//! reads whole files, those with most of the words first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use serde::Deserialize;
use serde_json::{Value, json};
use vectorcode_core::api::ExactRequest;
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, Location, words};
use vectorcode_engine::{Engine, EngineOptions, Project};
use vectorcode_server::LocalTools;

/// The token budgets within which success is counted.
const LIMITS: [usize; 4] = [1_000, 2_000, 4_000, 8_000];
/// The token budget within which shown lines are counted.
const LINES_WITHIN: usize = 2_000;
const RAREST_WORDS: usize = 3;
/// At most this many matching lines of a word are looked at.
const MAX_LINES: usize = 5_000;

/// A bug report and the lines that its fix changed.
#[derive(Clone, Debug, Deserialize)]
pub struct BugReport {
    pub id: String,
    pub text: String,
    /// Line ranges that the fix changed, by path.
    pub gold: BTreeMap<String, Vec<(u32, u32)>>,
}

impl BugReport {
    pub fn title(&self) -> &str {
        self.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
    }

    fn changed_lines(&self) -> BTreeSet<(&str, u32)> {
        let spans = self.gold.iter().flat_map(|(path, spans)| spans.iter().map(move |span| (path, span)));
        spans
            .flat_map(|(path, (start, end))| (*start..=*end).map(move |line| (path.as_str(), line)))
            .collect()
    }

    fn holds(&self, place: &Location) -> bool {
        let spans = self.gold.get(&place.path).into_iter().flatten();
        spans.into_iter().any(|(start, end)| *start <= place.end_line && place.start_line <= *end)
    }
}

/// The number of tokens until an issue's code is found; `None` if it was not found.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    /// Tokens of the first response.
    pub answer: usize,
    pub file: Option<usize>,
    pub function: Option<usize>,
    /// `None` for the agent that reads whole files.
    pub lines: Option<LinesShown>,
}

/// How the lines shown within [`LINES_WITHIN`] tokens compare with the changed lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinesShown {
    /// Fraction of the changed lines that is shown, 0 to 1.
    pub recall: f64,
    /// Fraction of the shown lines that the fix changes, 0 to 1.
    pub precision: f64,
}

/// How much of a report the agent uses as its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryText {
    Title,
    Report,
}

/// Runs both agents on one tree.
#[derive(Debug)]
pub struct AgentRun {
    engine: Arc<Engine>,
    tools: LocalTools,
    /// Additional arguments of each search.
    pub arguments: Value,
}

impl AgentRun {
    /// Opens a tree, whose index is used as it is.
    pub fn open(tree: &Path, arguments: Value) -> Result<Self> {
        let project = Project::at(tree)?;
        let engine = Arc::new(Engine::new(project, Config::default(), EngineOptions::default()));
        let tools = LocalTools::new(engine.clone())?;
        Ok(Self { engine, tools, arguments })
    }

    /// Simulates the agent with our tools.
    pub fn with_tools(&self, issue: &BugReport, text: QueryText) -> Cost {
        let mut cost = Cost::default();
        let mut paid = 0;
        let mut shown = Vec::new();
        let mut arguments = self.arguments.clone();
        arguments["query"] = match text {
            QueryText::Title => issue.title().into(),
            QueryText::Report => issue.text.as_str().into(),
        };
        loop {
            let page = Page::read(&self.call("vec_search", &arguments));
            if cost.answer == 0 {
                cost.answer = page.tokens;
            }
            let names_file = |seen: &&Seen| issue.gold.contains_key(&seen.place.path);
            cost.file = cost.file.or_else(|| Some(paid + page.places().find(names_file)?.at));
            cost.function = cost.function.or_else(|| Some(paid + self.function_from(issue, &page)?));
            shown.extend(page.lines.iter().map(|seen| Seen { at: paid + seen.at, ..seen.clone() }));
            paid += page.tokens;
            let Some(cursor) = page.cursor.filter(|_| paid < LIMITS[LIMITS.len() - 1]) else { break };
            arguments["cursor"] = cursor.into();
        }
        cost.lines = Some(lines_shown(issue, &shown));
        cost
    }

    /// Tokens until the function is found on a page: up to its code, or the whole page and the reading of a location that it
    /// lists.
    fn function_from(&self, issue: &BugReport, page: &Page) -> Option<usize> {
        if let Some(seen) = page.lines.iter().find(|seen| issue.holds(&seen.place)) {
            return Some(seen.at);
        }
        if let Some(Seen { place, .. }) = page.places().find(|seen| issue.holds(&seen.place)) {
            let target = format!("{}:{}-{}", place.path, place.start_line, place.end_line);
            return Some(
                page.tokens + LocalTools::tokens(&self.call("vec_read", &json!({ "target": target }))),
            );
        }
        let Seen { place, .. } = page.places().find(|seen| issue.gold.contains_key(&seen.place.path))?;
        let outline = self.call("vec_symbols", &json!({ "path": place.path }));
        let line = issue.gold[&place.path].first().map_or(1, |span| span.0);
        let read = self.call("vec_read", &json!({ "target": format!("{}:{line}", place.path) }));
        Some(page.tokens + LocalTools::tokens(&outline) + LocalTools::tokens(&read))
    }

    fn call(&self, tool: &str, arguments: &Value) -> String {
        // An error is a response too: the agent reads it and continues.
        self.tools.call(tool, arguments.clone()).unwrap_or_else(|error| error)
    }

    /// Simulates the agent with ripgrep.
    pub fn with_ripgrep(&self, issue: &BugReport) -> Result<Cost> {
        let files = self.files_with_words(issue.title())?;
        let mut paid = LocalTools::tokens(&files.join("\n"));
        let mut cost = Cost { answer: paid, ..Cost::default() };
        if files.iter().any(|path| issue.gold.contains_key(path)) {
            cost.file = Some(paid);
        }
        for path in &files {
            let bytes = std::fs::read(self.engine.project().absolute(path)).unwrap_or_default();
            paid += LocalTools::tokens(&String::from_utf8_lossy(&bytes));
            if issue.gold.contains_key(path) {
                cost.function = Some(paid);
                break;
            }
            if paid > LIMITS[LIMITS.len() - 1] {
                break;
            }
        }
        Ok(cost)
    }

    /// The files that contain the rarest words, those with most of these words first.
    fn files_with_words(&self, title: &str) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        words::for_each_word(title, |word| {
            if word.len() > 2 && !names.iter().any(|known| known.eq_ignore_ascii_case(word)) {
                names.push(word.to_owned());
            }
        });
        let mut found: Vec<Vec<(String, u64)>> = Vec::new();
        for name in names {
            let request = ExactRequest { ignore_case: true, limit: MAX_LINES, ..ExactRequest::literal(name) };
            let response = self.engine.exact(&request, &CancelToken::default())?;
            if response.total_files > 0 {
                found.push(response.files.into_iter().map(|file| (file.path, file.total)).collect());
            }
        }
        found.sort_by_key(Vec::len);
        let mut files: BTreeMap<String, (usize, u64)> = BTreeMap::new();
        for (path, lines) in found.into_iter().take(RAREST_WORDS).flatten() {
            let file = files.entry(path).or_default();
            *file = (file.0 + 1, file.1 + lines);
        }
        let mut files: Vec<(String, (usize, u64))> = files.into_iter().collect();
        files.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }
}

/// A location that a response names or a line that it shows, with the number of tokens up to that point.
#[derive(Clone, Debug)]
struct Seen {
    place: Location,
    at: usize,
}

/// The parsed text of a page of search results.
#[derive(Debug, Default)]
struct Page {
    tokens: usize,
    /// The headings of code blocks.
    headings: Vec<Seen>,
    listed: Vec<Seen>,
    /// The lines of code.
    lines: Vec<Seen>,
    cursor: Option<String>,
}

impl Page {
    fn read(text: &str) -> Self {
        let mut page = Self { tokens: LocalTools::tokens(text), ..Self::default() };
        let mut code: Option<Location> = None;
        let mut end = 0;
        for line in text.split_inclusive('\n') {
            end += line.len();
            let (line, at) = (line.trim_end_matches('\n'), LocalTools::tokens(&text[..end]));
            if let Some(next) = code.take() {
                code = page.read_code(line, next, at);
            } else if let Some(heading) = line.strip_prefix("## ").and_then(place) {
                page.headings.push(Seen { place: heading.clone(), at });
                code = Some(heading);
            } else if let Some(next) = line.strip_prefix("Next: ") {
                let cursor = next.split_once("cursor \"").and_then(|(_, rest)| rest.split('"').next());
                page.cursor = cursor.map(str::to_owned);
            } else {
                let folded =
                    ["tests: ", "docs: ", "config: "].iter().find_map(|kind| line.strip_prefix(kind));
                let places = folded.map_or_else(|| vec![line], |places| places.split(", ").collect());
                page.listed.extend(places.into_iter().filter_map(place).map(|place| Seen { place, at }));
            }
        }
        page
    }

    /// Reads one line of code; `coming` is the location of the lines still to come. Returns the location of the lines after
    /// this one.
    fn read_code(&mut self, line: &str, coming: Location, at: usize) -> Option<Location> {
        if line.starts_with("# called by: ") || line.starts_with("# calls: ") {
            return Some(coming);
        }
        let place = Location { end_line: coming.start_line, ..coming.clone() };
        let rest = Location { start_line: coming.start_line + 1, ..coming };
        self.lines.push(Seen { place, at });
        (rest.start_line <= rest.end_line).then_some(rest)
    }

    fn places(&self) -> impl Iterator<Item = &Seen> {
        self.listed.iter().chain(&self.headings)
    }
}

/// The recall and precision of the changed lines among the lines shown within the budget.
fn lines_shown(issue: &BugReport, shown: &[Seen]) -> LinesShown {
    let changed = issue.changed_lines();
    let in_time = shown.iter().filter(|seen| seen.at <= LINES_WITHIN);
    let seen: BTreeSet<(&str, u32)> =
        in_time.map(|seen| (seen.place.path.as_str(), seen.place.start_line)).collect();
    let right = seen.intersection(&changed).count() as f64;
    LinesShown { recall: right / changed.len().max(1) as f64, precision: right / seen.len().max(1) as f64 }
}

/// The location that a line begins with.
fn place(line: &str) -> Option<Location> {
    // A path may contain spaces, so the location ends at the first space after its line numbers.
    line.match_indices(' ').map(|(end, _)| &line[..end]).chain([line]).find_map(|part| part.parse().ok())
}

/// Renders a table with a row for each agent.
pub fn table(agents: &[(&str, &[Cost])]) -> String {
    let mut text = String::from(
        "| | tokens of an answer | file within 1k / 2k / 4k / 8k | function within 1k / 2k / 4k / 8k | changed lines shown within 2k | of the lines shown, changed |\n|---|---|---|---|---|---|\n",
    );
    for (name, costs) in agents {
        let count = costs.len().max(1) as f64;
        let answer = costs.iter().map(|cost| cost.answer as f64).sum::<f64>() / count;
        let lines = |part: fn(LinesShown) -> f64| {
            let counted: Vec<f64> = costs.iter().filter_map(|cost| cost.lines.map(part)).collect();
            if counted.is_empty() {
                "-".to_owned()
            } else {
                format!("{:.3}", counted.iter().sum::<f64>() / count)
            }
        };
        let within = |found: fn(&Cost) -> Option<usize>| {
            let part = |limit: &usize| {
                let is_in_time = |cost: &&Cost| found(cost).is_some_and(|paid| paid <= *limit);
                let share = costs.iter().filter(is_in_time).count() as f64 / count;
                format!("{share:.3}")
            };
            LIMITS.iter().map(part).collect::<Vec<_>>().join(" ")
        };
        let _ = writeln!(
            text,
            "| {name} | {answer:.0} | {} | {} | {} | {} |",
            within(|cost| cost.file),
            within(|cost| cost.function),
            lines(|lines| lines.recall),
            lines(|lines| lines.precision),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_an_agent_reads_it() {
        let page = Page::read(
            "3 of 9 results, best first\nsrc/c.rs:7-20 fn c() 0.41\ntests: t/d.rs:1-2, t/e.rs:5, +3\n\n\
             ## src/a b.rs:4-6 (of 4-90) Foo.bar method 0.87\n# calls: baz src/baz.rs:3\nlet x = 1;\n\nsrc/x.rs:1\n\
             Next: `vec_read` \"src/a b.rs#Foo.bar\"; cursor \"3\" for more results",
        );
        let shown = |places: &[Seen]| {
            places
                .iter()
                .map(|seen| format!("{}:{}", seen.place.path, seen.place.start_line))
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(&page.headings), ["src/a b.rs:4"]);
        assert_eq!(shown(&page.listed), ["src/c.rs:7", "t/d.rs:1", "t/e.rs:5"]);
        assert_eq!(shown(&page.lines), ["src/a b.rs:4", "src/a b.rs:5", "src/a b.rs:6"]);
        assert_eq!(page.cursor.as_deref(), Some("3"));
        let issue = BugReport {
            id: String::new(),
            text: String::new(),
            gold: BTreeMap::from([("src/a b.rs".to_owned(), vec![(6, 9)])]),
        };
        assert_eq!(lines_shown(&issue, &page.lines), LinesShown { recall: 0.25, precision: 1.0 / 3.0 });
    }
}
