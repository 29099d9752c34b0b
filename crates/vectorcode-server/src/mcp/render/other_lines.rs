//! Renders the lines of the project that contain a name but are not among its resolved uses.

use std::fmt::Write;

use vectorcode_core::api::{FileLines, OtherLines};
use vectorcode_core::visible_line;

use super::packing::fitting;
use crate::budget::tokens;

/// Budget for lines of text, in percent of the budget for lines of code.
const TEXT_PERCENT: usize = 30;

/// Lists the other lines with the name within a number of tokens, one line of text for each kind.
pub(super) fn other_lines(others: &OtherLines, max_tokens: usize) -> String {
    let name = visible_line(&others.name);
    if others.is_none() {
        return format!("\n\nNo other line of the project contains `{name}`.");
    }
    let mut text = String::new();
    let text_tokens = max_tokens * TEXT_PERCENT / 100;
    let lists = [
        (format!("lines contain `{name}` but are not resolved"), &others.unresolved, max_tokens),
        ("imports".to_owned(), &others.imports, text_tokens),
        (format!("lines of comments, strings or documents contain `{name}`"), &others.text, text_tokens),
    ];
    for (title, files, budget) in lists {
        let count = count(files);
        if count > 0 {
            let _ = write!(text, "\n{count} {title}: {}", places(files, budget));
        }
    }
    if others.elsewhere > 0 {
        let _ = write!(text, "\n{} lines contain `{name}` but mean another definition.", others.elsewhere);
    }
    if !others.complete {
        text.push_str("\nNot all files could be searched in time; there may be more.");
    }
    format!("\n{text}")
}

/// The number of lines.
pub(super) fn count(files: &[FileLines]) -> usize {
    files.iter().map(|file| file.lines.len()).sum()
}

/// `src/a.py:3,9; src/b.py:4; +7 more`, as many as fit.
pub(super) fn places(files: &[FileLines], max_tokens: usize) -> String {
    first_places(files, usize::MAX, max_tokens)
}

/// Like [`places`], with only the first lines of each file: `src/a.py:3,9 (+5)`.
pub(super) fn first_places(files: &[FileLines], max_lines: usize, max_tokens: usize) -> String {
    let named: Vec<String> = files.iter().map(|file| place(file, max_lines)).collect();
    let costs: Vec<usize> = named.iter().map(|place| tokens(place) + 1).collect();
    let shown = fitting(&costs, max_tokens).max(1).min(named.len());
    let more = count(&files[shown..]);
    let mut text = named[..shown].join("; ");
    if more > 0 {
        let _ = write!(text, "; +{more} more");
    }
    text
}

fn place(file: &FileLines, max_lines: usize) -> String {
    let lines: Vec<String> = file.lines.iter().take(max_lines).map(ToString::to_string).collect();
    let more = file.lines.len() - lines.len();
    let more = if more > 0 { format!(" (+{more})") } else { String::new() };
    format!("{}:{}{more}", visible_line(&file.path), lines.join(","))
}
