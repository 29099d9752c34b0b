//! Renders commits within the token budget: id, date, subject, and the files that they changed.

use std::fmt::Write;

use serde_json::json;
use vectorcode_core::api::{CommitHit, HistoryResponse};
use vectorcode_core::visible_line;

use super::notes::note_lines;
use super::packing::fitting;
use crate::budget::tokens;
use crate::mcp::answer::Rendered;

const FRAME_TOKENS: usize = 40;
/// Number of characters of a commit id, enough to identify it.
const SHORT_ID: usize = 10;
const MAX_FILES: usize = 4;
/// Characters of a message's body: its start often says why.
const MAX_BODY_CHARS: usize = 240;

pub(crate) fn render(response: &HistoryResponse, max_tokens: usize) -> Rendered {
    let entries: Vec<String> = response.commits.iter().map(entry).collect();
    let costs: Vec<usize> = entries.iter().map(|entry| tokens(entry) + 1).collect();
    let shown = fitting(&costs, max_tokens.saturating_sub(FRAME_TOKENS)).max(1).min(entries.len());
    let mut text = match response.total {
        0 => "No commit message matches.".to_owned(),
        total if total == shown => format!("{total} commits"),
        total => format!("{shown} of {total} commits"),
    };
    for entry in &entries[..shown] {
        let _ = write!(text, "\n{entry}");
    }
    text.push_str(&note_lines(&response.notes));
    Rendered { text, value: json!(response) }
}

fn entry(commit: &CommitHit) -> String {
    let id = commit.id.get(..SHORT_ID).unwrap_or(&commit.id);
    let date = commit.time.split('T').next().unwrap_or(&commit.time);
    let mut text = format!("{id} {date} {}", visible_line(&commit.subject));
    let body = commit.body.lines().filter(|line| !is_trailer(line)).flat_map(str::split_whitespace);
    let body = body.collect::<Vec<_>>().join(" ");
    if !body.is_empty() {
        let cut: String = body.chars().take(MAX_BODY_CHARS).collect();
        let _ = write!(text, "\n  {}", visible_line(&cut));
    }
    let mut files: Vec<String> =
        commit.files.iter().take(MAX_FILES).map(|file| visible_line(file).into_owned()).collect();
    if commit.files.len() > MAX_FILES {
        files.push(format!("+{}", commit.files.len() - MAX_FILES));
    }
    if commit.too_many_files {
        files = vec!["many files".to_owned()];
    }
    if !files.is_empty() {
        let _ = write!(text, "\n  {}", files.join(", "));
    }
    text
}

/// Trailers such as `Signed-off-by: ...` say who, not why.
fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| {
        !key.contains(' ') && (key.to_ascii_lowercase().ends_with("-by") || key == "Change-Id")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_says_what_and_why_without_trailers() {
        let commit = CommitHit {
            id: "6e60dfe87d0000000000".into(),
            time: "2022-02-01T00:00:00Z".into(),
            author: "A".into(),
            subject: "Fix the limit".into(),
            body: "It was one too high:\nsee above.\n\nSigned-off-by: A <a@example.com>\nCo-Authored-By: B"
                .into(),
            files: vec!["lib/a.rb".into()],
            too_many_files: false,
            score: None,
        };
        insta::assert_snapshot!(entry(&commit), @r"
        6e60dfe87d 2022-02-01 Fix the limit
          It was one too high: see above.
          lib/a.rb
        ");
    }
}
