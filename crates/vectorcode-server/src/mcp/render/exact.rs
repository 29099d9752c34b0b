//! Renders the lines found by an exact search, grouped by file.

use std::fmt::Write;

use serde_json::json;
use vectorcode_core::api::{ExactFile, ExactResponse};
use vectorcode_core::visible_line;

use super::notes::note_lines;
use super::packing::fitting;
use crate::budget::tokens;
use crate::mcp::answer::Rendered;
use crate::units::grouped;

/// Tokens for the heading and the last line.
const FRAME_TOKENS: usize = 60;
/// Maximum number of files listed without their lines if those do not fit.
const MAX_FILES_NAMED: usize = 30;

pub(crate) fn render(response: &ExactResponse, max_tokens: usize) -> Rendered {
    let notes = note_lines(&response.notes);
    let mut left = max_tokens.saturating_sub(FRAME_TOKENS + tokens(&notes));
    let mut text = heading(response);
    let mut shown_files = 0;
    for file in &response.files {
        let Some(block) = block(file, left) else { break };
        left = left.saturating_sub(tokens(&block));
        text.push_str(&block);
        shown_files += 1;
    }
    let rest: Vec<String> = response.files[shown_files..]
        .iter()
        .take(MAX_FILES_NAMED)
        .map(|file| format!("{} ({})", visible_line(&file.path), file.total))
        .collect();
    let costs: Vec<usize> = rest.iter().map(|file| tokens(file) + 1).collect();
    let named = fitting(&costs, left);
    if named > 0 {
        let _ = write!(text, "\nalso in: {}", rest[..named].join(", "));
    }
    let more = (response.total_files as usize).saturating_sub(shown_files + named);
    if more > 0 {
        let _ = write!(
            text,
            "\n({} more files; narrow with `path`, or raise `max_tokens`)",
            grouped(more as u64)
        );
    }
    text.push_str(&notes);
    Rendered { text, value: json!(response) }
}

fn heading(response: &ExactResponse) -> String {
    let at_least = if response.complete { "" } else { "at least " };
    match (response.total_lines, response.total_files) {
        (0, _) => "No line matches.".to_owned(),
        (1, _) => format!("{at_least}1 line"),
        (lines, 1) => format!("{at_least}{} lines in 1 file", grouped(lines)),
        (lines, files) => format!("{at_least}{} lines in {} files", grouped(lines), grouped(files)),
    }
}

/// The path and as many of its lines as fit; `None` if not even one does.
fn block(file: &ExactFile, left: usize) -> Option<String> {
    let lines: Vec<String> =
        file.lines.iter().map(|line| format!("\n{}\t{}", line.line, line.text)).collect();
    let mut text = format!("\n{}", visible_line(&file.path));
    let costs: Vec<usize> = lines.iter().map(|line| tokens(line)).collect();
    let count = fitting(&costs, left.saturating_sub(tokens(&text) + 8));
    if count == 0 {
        return None;
    }
    text.extend(lines[..count].iter().map(String::as_str));
    let more = file.total.saturating_sub(count as u64);
    if more > 0 {
        let _ = write!(text, "\n({more} more lines in this file)");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use vectorcode_core::api::ExactLine;

    use super::*;

    #[test]
    fn lines_stand_below_their_file_and_totals_are_true() {
        let line = |line| ExactLine { line, column: 5, text: "    retry(order);".into() };
        let file = |path: &str, total| ExactFile { path: path.into(), total, lines: vec![line(3), line(9)] };
        let response = ExactResponse {
            files: vec![file("src/a.ts", 2), file("src/b.ts", 5)],
            total_lines: 27,
            total_files: 4,
            complete: true,
            notes: Vec::new(),
            took_ms: 1.0,
        };
        insta::assert_snapshot!(render(&response, 1000).text, @r"
        27 lines in 4 files
        src/a.ts
        3	    retry(order);
        9	    retry(order);
        src/b.ts
        3	    retry(order);
        9	    retry(order);
        (3 more lines in this file)
        (2 more files; narrow with `path`, or raise `max_tokens`)
        ");
    }
}
