//! All output goes through the [`Printer`]: data to stdout, messages to stderr.
//!
//! Whether to use colors is decided here. Callers style text with `anstyle` and never check for a terminal.

pub mod changes;
pub mod eval;
pub mod excerpt;
mod format;
pub mod graph;
pub mod history;
pub mod hits;
pub mod lines;
pub mod logging;
pub mod numbers;
pub mod progress;
pub mod report;
pub mod style;
pub mod symbols;
pub mod terminal;
pub mod time;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
use vectorcode_core::is_unprintable;

pub use self::format::OutputFormat;
use crate::global_args::{ColorWhen, GlobalArgs};

#[derive(Debug)]
pub struct Printer {
    color: ColorChoice,
    quiet: bool,
    links: bool,
}

impl Printer {
    /// Applies the global options; with `--verbose` this also starts the log on stderr.
    pub fn new(global: &GlobalArgs) -> Self {
        let color = match global.color {
            ColorWhen::Auto => ColorChoice::Auto,
            ColorWhen::Always => ColorChoice::AlwaysAnsi,
            ColorWhen::Never => ColorChoice::Never,
        };
        // Errors are printed after the printer is dropped; they read the choice from here.
        color.write_global();
        logging::start(global);
        let links = global.color != ColorWhen::Never && terminal::has_links();
        Self { color, quiet: global.quiet, links }
    }

    /// Whether colors reach stdout.
    pub fn has_colors(&self) -> bool {
        AutoStream::new(io::stdout(), self.color).current_choice() != ColorChoice::Never
    }

    /// One line of data on stdout.
    pub fn line(&self, text: impl Display) -> io::Result<()> {
        let mut out = AutoStream::new(io::stdout().lock(), self.color);
        writeln!(out, "{}", style::without_controls(&text.to_string()))
    }

    /// A path as a link to its file, if the terminal supports links.
    pub fn link(&self, path: String, file: &Path) -> String {
        if self.links { terminal::linked(&path, file) } else { path }
    }

    /// One indented JSON document on stdout.
    pub fn json(&self, value: &impl Serialize) -> io::Result<()> {
        self.line(json_escaped(&serde_json::to_string_pretty(value)?))
    }

    /// One JSON document on one line of stdout.
    pub fn json_line(&self, value: &impl Serialize) -> io::Result<()> {
        self.line(json_escaped(&serde_json::to_string(value)?))
    }

    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// A warning on stderr, even with `--quiet`: otherwise a script could take an incomplete result for a complete one.
    pub fn warn(&self, text: impl Display) {
        self.message(format_args!(
            "{}warning:{} {text}",
            style::WARNING.render(),
            style::WARNING.render_reset()
        ));
    }

    /// Data on stdout, exactly as given.
    #[expect(clippy::unused_self, reason = "all output goes through the printer, styled or not")]
    pub fn bytes(&self, data: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(data)?;
        out.flush()
    }

    /// One line on stderr, unless `--quiet`. A closed stderr is ignored.
    pub fn note(&self, text: impl Display) {
        if !self.quiet {
            self.message(text);
        }
    }

    fn message(&self, text: impl Display) {
        let mut err = AutoStream::new(io::stderr().lock(), self.color);
        let _ = writeln!(err, "{}", style::without_controls(&text.to_string()));
    }
}

/// Escapes control characters. JSON allows all characters but the first 32 unescaped, and a terminal would act on some of them.
/// The meaning of the document does not change.
fn json_escaped(document: &str) -> String {
    let mut escaped = String::with_capacity(document.len());
    for character in document.chars() {
        if character != '\n' && is_unprintable(character) {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units);
            escaped.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_without_control_characters_says_the_same() {
        let value = vec!["\u{9b}31m\u{202e}\u{e0041}\u{1b}[2J\nplain ä"];
        let document = json_escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert!(
            document.chars().all(|character| character == '\n' || !is_unprintable(character)),
            "{document}"
        );
        assert_eq!(serde_json::from_str::<Vec<String>>(&document).unwrap(), value);
    }
}
