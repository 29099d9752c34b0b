//! All output goes through the [`Printer`]: data to stdout, messages to stderr.
//!
//! Whether to use colors is decided here. Callers style with `anstyle` and never check for a terminal.

pub mod eval;
mod excerpt;
pub mod graph;
pub mod hits;
mod logging;
pub mod numbers;
pub mod progress;
pub mod report;
pub mod style;
pub mod symbols;
pub mod time;

use std::fmt::Display;
use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use crate::args::{ColorWhen, GlobalArgs};

#[derive(Debug)]
pub struct Printer {
    color: ColorChoice,
    quiet: bool,
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
        Self { color, quiet: global.quiet }
    }

    /// One line of data on stdout.
    pub fn line(&self, text: impl Display) -> io::Result<()> {
        let mut out = AutoStream::new(io::stdout().lock(), self.color);
        writeln!(out, "{text}")
    }

    /// One JSON document on stdout, readable.
    pub fn json(&self, value: &impl Serialize) -> io::Result<()> {
        self.line(serde_json::to_string_pretty(value)?)
    }

    /// One JSON document on one line of stdout.
    pub fn json_line(&self, value: &impl Serialize) -> io::Result<()> {
        self.line(serde_json::to_string(value)?)
    }

    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// A warning on stderr.
    pub fn warn(&self, text: impl Display) {
        self.note(format_args!(
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
            let mut err = AutoStream::new(io::stderr().lock(), self.color);
            let _ = writeln!(err, "{text}");
        }
    }
}
