//! Prints commits for people: id, date, author, subject, and the files that they changed.

use std::io;

use vectorcode_core::api::{CommitHit, HistoryResponse};
use vectorcode_core::visible_line;

use super::style::{DIM, PATH, SYMBOL};
use super::{Printer, style::painted};

/// Number of characters shown of a commit id, enough to identify it.
const SHORT_ID: usize = 10;
/// Maximum number of files shown for each commit.
const FILES_SHOWN: usize = 5;

pub fn print(response: &HistoryResponse, printer: &Printer) -> io::Result<()> {
    for commit in &response.commits {
        printer.line(entry(commit))?;
    }
    if response.commits.is_empty() && response.notes.is_empty() {
        printer.note("No commit message matches.");
    }
    for note in &response.notes {
        printer.note(note);
    }
    Ok(())
}

fn entry(commit: &CommitHit) -> String {
    let date = commit.time.split('T').next().unwrap_or(&commit.time);
    let id = commit.id.get(..SHORT_ID).unwrap_or(&commit.id);
    let head = format!(
        "{}  {}  {}",
        painted(SYMBOL, id),
        painted(DIM, format!("{date}  {}", visible_line(&commit.author))),
        visible_line(&commit.subject),
    );
    format!("{head}\n    {}", painted(PATH, files(commit)))
}

fn files(commit: &CommitHit) -> String {
    if commit.too_many_files {
        return "many files".into();
    }
    let shown = commit.files.iter().take(FILES_SHOWN).map(|file| visible_line(file).into_owned());
    let mut shown: Vec<String> = shown.collect();
    if commit.files.len() > FILES_SHOWN {
        shown.push(format!("and {} more", commit.files.len() - FILES_SHOWN));
    }
    if shown.is_empty() { "files not known".into() } else { shown.join(", ") }
}
