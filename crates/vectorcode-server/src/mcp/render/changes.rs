//! Renders the impact of a change within the token budget: changed symbols, tests to run, users.

use std::fmt::Write;

use serde_json::json;
use vectorcode_core::api::{AffectedSymbol, ChangeKind, ChangedSymbol, ChangesResponse, FileChange};
use vectorcode_core::visible_line;

use super::hit::lines_of;
use super::notes::note_lines;
use super::packing::fitting;
use crate::budget::tokens;
use crate::mcp::answer::Rendered;
use crate::units::plural;

const FRAME_TOKENS: usize = 60;

pub(crate) fn render(response: &ChangesResponse, max_tokens: usize) -> Rendered {
    let mut text = heading(response);
    let notes = note_lines(&response.notes);
    let mut left = max_tokens.saturating_sub(FRAME_TOKENS + tokens(&notes));
    // Tests come before users, because agents need them after every edit.
    let sections = [
        ("Changed symbols", response.symbols.iter().map(symbol).collect::<Vec<_>>()),
        ("Tests to run", response.tests.iter().map(affected).collect()),
        (
            "Test files that load it",
            response.test_files.iter().map(|path| visible_line(path).into_owned()).collect(),
        ),
        ("Used by", response.affected.iter().map(affected).collect()),
        ("Changed files", response.files.iter().map(file).collect()),
    ];
    for (title, lines) in sections {
        let costs: Vec<usize> = lines.iter().map(|line| tokens(line) + 1).collect();
        let shown = fitting(&costs, left.saturating_sub(8));
        if lines.is_empty() || shown == 0 {
            continue;
        }
        left = left.saturating_sub(costs[..shown].iter().sum::<usize>() + 8);
        let _ = write!(text, "\n{title} ({})", lines.len());
        for line in &lines[..shown] {
            let _ = write!(text, "\n- {line}");
        }
        if shown < lines.len() {
            let _ = write!(text, "\n({} more)", lines.len() - shown);
        }
    }
    text.push_str(&notes);
    Rendered { text, value: json!(response) }
}

fn heading(response: &ChangesResponse) -> String {
    if response.files.is_empty() {
        return "Nothing that is indexed has changed.".to_owned();
    }
    let impact = &response.impact;
    format!(
        "{} changed; {} in {} use what changed, {} with tests",
        plural(response.files.len() as u64, "file"),
        plural(impact.symbols, "symbol"),
        plural(impact.files, "file"),
        impact.tests
    )
}

fn symbol(symbol: &ChangedSymbol) -> String {
    let place = lines_of(&visible_line(&symbol.path), symbol.start_line, symbol.end_line);
    let mark = match symbol.change {
        ChangeKind::Added => " (added)",
        ChangeKind::Modified | ChangeKind::Renamed => "",
        ChangeKind::Deleted => " (deleted)",
    };
    format!("{} {} {place}{mark}", symbol.kind, visible_line(&symbol.name))
}

/// A user of what changed, or a test, with its line.
pub(super) fn affected(user: &AffectedSymbol) -> String {
    let line = user.line.map_or_else(String::new, |line| format!(":{line}"));
    let path = visible_line(&user.path);
    if user.name == user.path {
        format!("{path}{line}")
    } else {
        format!("{} {path}{line}", visible_line(&user.name))
    }
}

fn file(file: &FileChange) -> String {
    let stale = if file.is_indexed { "" } else { " (not indexed at that state)" };
    let before = file.old_path.as_ref().map_or_else(String::new, |path| format!("{path} -> "));
    let path = format!("{before}{}", file.path);
    let kind = match file.change {
        ChangeKind::Added => " (added)",
        ChangeKind::Deleted => " (deleted)",
        ChangeKind::Renamed => " (renamed)",
        ChangeKind::Modified => "",
    };
    format!("{} +{} -{}{kind}{stale}", visible_line(&path), file.lines_added, file.lines_removed)
}
