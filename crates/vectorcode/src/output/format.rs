//! The output formats of search results. An option chooses the format, and each kind of results implements all of them.

use std::io;

use super::Printer;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// One JSON object per line, one for each result.
    JsonLines,
    /// The paths of the files, each once and followed by `end`.
    Files { end: &'static str },
    /// `path:line:column:text`, for editors.
    Vimgrep,
}

/// Results that can be printed in every format.
pub trait Results {
    fn print_text(&self, printer: &Printer) -> io::Result<()>;
    fn print_json(&self, printer: &Printer) -> io::Result<()>;
    fn print_json_lines(&self, printer: &Printer) -> io::Result<()>;
    fn print_files(&self, end: &str, printer: &Printer) -> io::Result<()>;
    fn print_vimgrep(&self, printer: &Printer) -> io::Result<()>;
}

impl OutputFormat {
    pub fn print(self, results: &impl Results, printer: &Printer) -> io::Result<()> {
        match self {
            Self::Text => results.print_text(printer),
            Self::Json => results.print_json(printer),
            Self::JsonLines => results.print_json_lines(printer),
            Self::Files { end } => results.print_files(end, printer),
            Self::Vimgrep => results.print_vimgrep(printer),
        }
    }
}
