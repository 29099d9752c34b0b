//! Runs the grammars, which are C code, in separate processes.
//!
//! A parser process receives the text of one file and returns what it found; syntax trees stay inside. If it crashes, hangs
//! or uses too much memory, one file loses its structure. An attacker who takes over the process has no files, no network and
//! no keys ([`sandbox`]). Its responses are validated like any other input ([`answer`]).
//!
//! Only a program that calls [`parse_in_processes`] uses parser processes. They are started from its own executable, so it
//! must call [`run_parser_process`] if its first argument is [`PARSER_PROCESS`]. Other programs, such as library tests, parse
//! in process.

mod answer;
mod permit;
mod pool;
mod process;
mod process_exit;
mod sandbox;
mod worker;

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use vectorcode_core::{ParsedFile, Token};

use crate::SourceError;
use crate::languages::Language;
use crate::source::{FileUses, chunk_unparsed, facts, parse_source, uses_in};
use crate::source_text::SourceText;
use answer::{Answer, checked_file, checked_tokens, checked_uses};
use pool::Pool;
use process::Program;

pub use process_exit::Unparsed;
pub use worker::run_parser_process;

/// The first argument of a parser process.
pub const PARSER_PROCESS: &str = "parser-process";

static POOL: OnceLock<Pool> = OnceLock::new();

/// From now on, this process parses in child processes of its own executable.
pub fn parse_in_processes() {
    POOL.get_or_init(|| Pool::new(Program::own()));
}

/// Ends parser processes that have not been used for this long.
pub(crate) fn end_unused(since: Duration) {
    if let Some(pool) = POOL.get() {
        pool.end_unused(since);
    }
}

/// What a request asks a parser process to do.
#[derive(Debug, Serialize, Deserialize)]
enum Task {
    Parse { path: String },
    Uses { names: Vec<String> },
    Highlight,
}

/// Parses files of one project. Projects do not share parser processes: an attacker who takes one over sees all later files,
/// and could leak them as symbols of the attacker's own project.
#[derive(Clone, Copy, Debug)]
pub struct Parsers<'p> {
    project: &'p Path,
}

impl<'p> Parsers<'p> {
    /// For the files of the project in this directory.
    pub fn of(project: &'p Path) -> Self {
        Self { project }
    }

    /// Like [`parse_source`]. Fails if no parser process can be started. A file that kills its process is chunked by lines.
    pub fn parse(
        &self,
        path: &str,
        language: &'static Language,
        source: &SourceText,
    ) -> Result<ParsedFile, SourceError> {
        self.try_parse(path, language, source).map(|(parsed, _)| parsed)
    }

    /// Like [`Self::parse`], and also returns why the file has no symbols, if it should have some.
    pub fn try_parse(
        &self,
        path: &str,
        language: &'static Language,
        source: &SourceText,
    ) -> Result<(ParsedFile, Option<Unparsed>), SourceError> {
        let facts = facts(path, language, source);
        let Some(pool) = POOL.get().filter(|_| !facts.flags.minified && is_parsed(language, source)) else {
            let parsed = parse_source(path, language, source);
            let unparsed = Unparsed::of(parsed.flags, source.flags);
            return Ok((parsed, unparsed));
        };
        let request = request(&Task::Parse { path: path.to_owned() }, language, source);
        let found = pool.ask(self.project, &request, |answer| match answer {
            Answer::Parsed(parsed) => checked_file(parsed, &facts, &source.text),
            Answer::Tokens(_) | Answer::Uses(_) => None,
        })?;
        Ok(match found {
            Ok(parsed) => {
                let unparsed = Unparsed::of(parsed.flags, source.flags);
                (parsed, unparsed)
            }
            Err(reason) => {
                tracing::warn!(path, %reason, "not parsed; the file is indexed by its lines");
                (chunk_unparsed(path, language, source), Some(reason))
            }
        })
    }

    /// Like [`uses_in`]; empty for a text that kills its process.
    pub fn uses(
        &self,
        language: &'static Language,
        source: &SourceText,
        names: &[String],
    ) -> Result<FileUses, SourceError> {
        let Some(pool) = POOL.get().filter(|_| is_parsed(language, source)) else {
            return Ok(uses_in(language, source, names));
        };
        let request = request(&Task::Uses { names: names.to_vec() }, language, source);
        let found = pool.ask(self.project, &request, |answer| match answer {
            Answer::Uses(uses) => checked_uses(uses, names, &source.text),
            Answer::Parsed(_) | Answer::Tokens(_) => None,
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Like [`crate::highlight`]; empty for a text that kills its process.
    pub fn highlight(&self, language: &Language, source: &SourceText) -> Result<Vec<Token>, SourceError> {
        let Some(pool) = POOL.get().filter(|_| is_parsed(language, source)) else {
            return Ok(crate::highlight(language, source));
        };
        let request = request(&Task::Highlight, language, source);
        let found = pool.ask(self.project, &request, |answer| match answer {
            Answer::Tokens(tokens) => checked_tokens(tokens, &source.text),
            Answer::Parsed(_) | Answer::Uses(_) => None,
        })?;
        Ok(found.unwrap_or_default())
    }
}

/// Whether a grammar parses the text or a part of it.
fn is_parsed(language: &Language, source: &SourceText) -> bool {
    language.has_grammar() || source.parts.iter().any(|part| part.language.has_grammar())
}

/// Serialises a request for [`worker`].
fn request(task: &Task, language: &Language, source: &SourceText) -> Vec<u8> {
    process::framed(&(task, language.name, source))
}
