//! Prints the lines that match a pattern, in the forms known from `grep` and editors.

use std::borrow::Cow;
use std::io::{self, IsTerminal};

use serde_json::json;
use vectorcode_core::api::{ExactFile, ExactLine, ExactResponse};
use vectorcode_core::{visible_line, visible_text};

use super::format::Results;
use super::numbers::{grouped, plural};
use super::{Printer, style};
use crate::shell_paths::ShellPaths;

/// The matching lines, grouped by file.
#[derive(Clone, Copy, Debug)]
pub struct ExactResults<'r> {
    pub response: &'r ExactResponse,
    pub paths: &'r ShellPaths,
}

/// The text of a line, with control characters made visible: the file may be untrusted, and `Printer` lets color codes through.
fn shown(line: &ExactLine) -> Cow<'_, str> {
    visible_text(&line.text)
}

impl Results for ExactResults<'_> {
    /// On a terminal, prints the path above its lines; otherwise `path:line:text`.
    fn print_text(&self, printer: &Printer) -> io::Result<()> {
        if io::stdout().is_terminal() { self.print_by_file(printer) } else { self.print_grep(printer) }
    }

    fn print_json(&self, printer: &Printer) -> io::Result<()> {
        printer.json(self.response)
    }

    /// Paths are relative to the project's root, as in every JSON.
    fn print_json_lines(&self, printer: &Printer) -> io::Result<()> {
        self.each(|file, line| {
            let ExactLine { line, column, text } = line;
            printer.json_line(&json!({"path": file.path, "line": line, "column": column, "text": text}))
        })
    }

    fn print_files(&self, end: &str, printer: &Printer) -> io::Result<()> {
        let print = |file: &ExactFile| printer.bytes(format!("{}{end}", self.openable(file)).as_bytes());
        self.response.files.iter().try_for_each(print)
    }

    fn print_vimgrep(&self, printer: &Printer) -> io::Result<()> {
        self.each(|file, line| {
            printer.line(format!("{}:{}:{}:{}", self.openable(file), line.line, line.column, shown(line)))
        })
    }
}

impl ExactResults<'_> {
    fn each(&self, mut print: impl FnMut(&ExactFile, &ExactLine) -> io::Result<()>) -> io::Result<()> {
        let mut files = self.response.files.iter();
        files.try_for_each(|file| file.lines.iter().try_for_each(|line| print(file, line)))
    }

    fn openable(&self, file: &ExactFile) -> String {
        visible_line(&self.paths.shown(&file.path)).into_owned()
    }

    fn print_grep(&self, printer: &Printer) -> io::Result<()> {
        self.each(|file, line| printer.line(format!("{}:{}:{}", self.openable(file), line.line, shown(line))))
    }

    fn print_by_file(&self, printer: &Printer) -> io::Result<()> {
        for (index, file) in self.response.files.iter().enumerate() {
            if index > 0 {
                printer.line("")?;
            }
            let path = style::painted(style::PATH, self.openable(file));
            printer.line(printer.link(path, &self.paths.absolute(&file.path)))?;
            for line in &file.lines {
                printer.line(format!("{}:{}", style::painted(style::GOOD, line.line), shown(line)))?;
            }
        }
        Ok(())
    }

    /// Prints to stderr what was left out.
    pub fn print_footer(&self, printer: &Printer) {
        let response = self.response;
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
}
