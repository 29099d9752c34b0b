//! Lines that match a pattern, in the forms that `grep` and editors have made familiar.

use std::borrow::Cow;
use std::io;

use serde_json::json;
use vectorcode_core::api::{ExactFile, ExactLine, ExactResponse};
use vectorcode_core::{visible_line, visible_text};

use super::numbers::{grouped, plural};
use super::{Printer, style};
use crate::shell_paths::ShellPaths;

fn each(
    response: &ExactResponse,
    mut print: impl FnMut(&ExactFile, &ExactLine) -> io::Result<()>,
) -> io::Result<()> {
    response.files.iter().try_for_each(|file| file.lines.iter().try_for_each(|line| print(file, line)))
}

fn openable(file: &ExactFile, paths: &ShellPaths) -> String {
    visible_line(&paths.shown(&file.path)).into_owned()
}

/// The text comes from a stranger's file: `Printer` would take a colour in it for one of ours.
fn shown(line: &ExactLine) -> Cow<'_, str> {
    visible_text(&line.text)
}

/// `path:line:text`, for programs.
pub fn print_grep(response: &ExactResponse, paths: &ShellPaths, printer: &Printer) -> io::Result<()> {
    each(response, |file, line| {
        printer.line(format!("{}:{}:{}", openable(file, paths), line.line, shown(line)))
    })
}

/// `path:line:column:text`, for editors.
pub fn print_vimgrep(response: &ExactResponse, paths: &ShellPaths, printer: &Printer) -> io::Result<()> {
    each(response, |file, line| {
        printer.line(format!("{}:{}:{}:{}", openable(file, paths), line.line, line.column, shown(line)))
    })
}

/// One JSON object per line. Paths are relative to the project's root, as in every JSON.
pub fn print_jsonl(response: &ExactResponse, printer: &Printer) -> io::Result<()> {
    each(response, |file, line| {
        let ExactLine { line, column, text } = line;
        printer.json_line(&json!({"path": file.path, "line": line, "column": column, "text": text}))
    })
}

/// The path above its lines, for people.
pub fn print_by_file(response: &ExactResponse, paths: &ShellPaths, printer: &Printer) -> io::Result<()> {
    for (index, file) in response.files.iter().enumerate() {
        if index > 0 {
            printer.line("")?;
        }
        let path = style::painted(style::PATH, openable(file, paths));
        printer.line(printer.link(path, &paths.absolute(&file.path)))?;
        for line in &file.lines {
            printer.line(format!("{}:{}", style::painted(style::GOOD, line.line), shown(line)))?;
        }
    }
    Ok(())
}

/// Paths only, each followed by `end`.
pub fn print_files(
    response: &ExactResponse,
    end: &str,
    paths: &ShellPaths,
    printer: &Printer,
) -> io::Result<()> {
    let print = |file: &ExactFile| printer.bytes(format!("{}{end}", openable(file, paths)).as_bytes());
    response.files.iter().try_for_each(print)
}

/// What was left out, on stderr.
pub fn footer(response: &ExactResponse, printer: &Printer) {
    let shown: u64 = response.files.iter().map(|file| file.lines.len() as u64).sum();
    if response.total_lines == 0 {
        printer.note("No line matches.");
    } else if shown < response.total_lines {
        let (all, files) = (plural(response.total_lines, "line"), plural(response.total_files, "file"));
        printer.note(format!("{} of {all} in {files}: raise --limit for more", grouped(shown)));
    }
    for note in &response.notes {
        printer.note(note);
    }
}
