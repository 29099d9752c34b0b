//! What an agent pays, in tokens, until it sees the file and the function that a bug report is about.
//!
//! The agent asks `vec_search` with the title of the report and reads whole answers, page after page. It has found the file
//! when a page names it. It has found the function when a page shows a line of it that the fix changes; or when it then reads
//! a listed place that holds such a line, or the outline of the named file and the definition there, and pays for these too.
//! Beside it an agent with ripgrep: the three rarest words of the title, then whole files, those with most of the words first.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use vectorcode_core::api::ExactRequest;
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, Location, words};
use vectorcode_engine::{Engine, EngineOptions, Project};
use vectorcode_server::LocalTools;

/// The budgets within which success is counted.
const LIMITS: [usize; 4] = [1_000, 2_000, 4_000, 8_000];
const RAREST_WORDS: usize = 3;
/// Matches of a word in more files than these are not looked at.
const MAX_LINES: usize = 5_000;

/// A bug report and the lines that its fix changed.
#[derive(Clone, Debug, Deserialize)]
pub struct Issue {
    pub id: String,
    pub text: String,
    /// Line ranges by path.
    pub gold: BTreeMap<String, Vec<(u32, u32)>>,
}

impl Issue {
    pub fn title(&self) -> &str {
        self.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
    }

    fn holds(&self, place: &Location) -> bool {
        let spans = self.gold.get(&place.path).into_iter().flatten();
        spans.into_iter().any(|(start, end)| *start <= place.end_line && place.start_line <= *end)
    }
}

/// The issues of a file with one JSON object a line.
pub fn read_issues(path: &Path) -> Result<Vec<Issue>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let parse = |line: &str| -> Result<Issue> {
        serde_json::from_str(line).with_context(|| format!("not an issue: {line:.80}"))
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(parse).collect()
}

/// What finding one issue's code costs; `None` where it was not found.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    /// Of the first answer.
    pub answer: usize,
    pub file: Option<usize>,
    pub function: Option<usize>,
}

/// Both agents on one tree.
#[derive(Debug)]
pub struct AgentRun {
    engine: Arc<Engine>,
    tools: LocalTools,
    /// Further arguments of each search.
    pub arguments: Value,
}

impl AgentRun {
    /// The tree's index is used as it is.
    pub fn open(tree: &Path, arguments: Value) -> Result<Self> {
        let project = Project::at(tree)?;
        let engine = Arc::new(Engine::new(project, Config::default(), EngineOptions::default()));
        let tools = LocalTools::new(engine.clone())?;
        Ok(Self { engine, tools, arguments })
    }

    /// The agent with our tools.
    pub fn with_tools(&self, issue: &Issue) -> Cost {
        let mut cost = Cost::default();
        let mut paid = 0;
        let mut arguments = self.arguments.clone();
        arguments["query"] = issue.title().into();
        loop {
            let page = self.call("vec_search", &arguments);
            paid += LocalTools::tokens(&page);
            if cost.answer == 0 {
                cost.answer = paid;
            }
            let seen = Page::read(&page);
            if cost.file.is_none() && seen.places().any(|place| issue.gold.contains_key(&place.path)) {
                cost.file = Some(paid);
            }
            if cost.function.is_none() {
                cost.function = self.function_from(issue, &seen).map(|more| paid + more);
            }
            let Some(cursor) = seen.cursor.filter(|_| paid < LIMITS[LIMITS.len() - 1]) else { break };
            arguments["cursor"] = cursor.into();
        }
        cost
    }

    /// What the function costs after a page: nothing where its code is shown.
    fn function_from(&self, issue: &Issue, seen: &Page) -> Option<usize> {
        if seen.code.iter().any(|place| issue.holds(place)) {
            return Some(0);
        }
        if let Some(place) = seen.listed.iter().find(|place| issue.holds(place)) {
            let target = format!("{}:{}-{}", place.path, place.start_line, place.end_line);
            return Some(LocalTools::tokens(&self.call("vec_read", &json!({ "target": target }))));
        }
        let place = seen.places().find(|place| issue.gold.contains_key(&place.path))?;
        let outline = self.call("vec_symbols", &json!({ "path": place.path }));
        let line = issue.gold[&place.path].first().map_or(1, |span| span.0);
        let read = self.call("vec_read", &json!({ "target": format!("{}:{line}", place.path) }));
        Some(LocalTools::tokens(&outline) + LocalTools::tokens(&read))
    }

    fn call(&self, tool: &str, arguments: &Value) -> String {
        // An error is an answer too: the agent reads it and goes on.
        self.tools.call(tool, arguments.clone()).unwrap_or_else(|error| error)
    }

    /// The agent with ripgrep.
    pub fn with_ripgrep(&self, issue: &Issue) -> Result<Cost> {
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

    /// The files that hold the rarest words, those with most of them first.
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

/// What a page of search results shows.
#[derive(Debug, Default)]
struct Page {
    code: Vec<Location>,
    listed: Vec<Location>,
    cursor: Option<String>,
}

impl Page {
    fn read(text: &str) -> Self {
        let mut page = Self::default();
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                page.code.extend(place(heading));
            } else if let Some((_, rest)) =
                line.strip_prefix("Next: ").and_then(|next| next.split_once("cursor \""))
            {
                page.cursor = rest.split('"').next().map(str::to_owned);
            } else if let Some(folded) =
                ["tests: ", "docs: ", "config: "].iter().find_map(|kind| line.strip_prefix(kind))
            {
                page.listed.extend(folded.split(", ").filter_map(place));
            } else {
                page.listed.extend(place(line));
            }
        }
        page
    }

    fn places(&self) -> impl Iterator<Item = &Location> {
        self.code.iter().chain(&self.listed)
    }
}

/// The place with which a line begins.
fn place(line: &str) -> Option<Location> {
    // A path may hold spaces, so the place ends at the first space after its line numbers.
    line.match_indices(' ').map(|(end, _)| &line[..end]).chain([line]).find_map(|part| part.parse().ok())
}

/// The table of both agents.
pub fn table(with_tools: &[Cost], with_ripgrep: &[Cost]) -> String {
    let mut text = String::from(
        "| | tokens of an answer | file within 1k / 2k / 4k / 8k | function within 1k / 2k / 4k / 8k |\n|---|---|---|---|\n",
    );
    for (name, costs) in [("vectorcode", with_tools), ("ripgrep, then whole files", with_ripgrep)] {
        let count = costs.len().max(1) as f64;
        let mean = costs.iter().map(|cost| cost.answer as f64).sum::<f64>() / count;
        let within = |found: fn(&Cost) -> Option<usize>| {
            let part = |limit: &usize| {
                let successes =
                    costs.iter().filter(|cost| found(cost).is_some_and(|paid| paid <= *limit)).count();
                format!("{:.3}", successes as f64 / count)
            };
            LIMITS.iter().map(part).collect::<Vec<_>>().join(" ")
        };
        let (file, function) = (within(|cost| cost.file), within(|cost| cost.function));
        let _ = writeln!(text, "| {name} | {mean:.0} | {file} | {function} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_an_agent_reads_it() {
        let page = Page::read(
            "3 of 9 results, best first\n## src/a b.rs:4-9 Foo.bar (of 4-90)\nlet x = 1;\n\nsrc/c.rs:7-20 fn c()\n\
             tests: t/d.rs:1-2, t/e.rs:5, +3\nNext: `vec_read` \"src/a b.rs#Foo.bar\"; cursor \"3\" for more results",
        );
        let shown = |places: &[Location]| {
            places.iter().map(|p| format!("{}:{}", p.path, p.start_line)).collect::<Vec<_>>()
        };
        assert_eq!(shown(&page.code), ["src/a b.rs:4"]);
        assert_eq!(shown(&page.listed), ["src/c.rs:7", "t/d.rs:1", "t/e.rs:5"]);
        assert_eq!(page.cursor.as_deref(), Some("3"));
    }
}
