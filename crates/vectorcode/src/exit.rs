//! Turns the result of a command into an exit code, and prints errors. Only those of the command line itself are printed
//! elsewhere: by `clap`, from `dispatch`.
//!
//! An error is printed as `error: what failed`, followed by `hint: what to do` if something can be done.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Error;
use vectorcode_core::{Diagnose, visible_text, with_causes};

use crate::agents::AgentError;
use vectorcode_core::config::ConfigError;
use vectorcode_engine::EngineError;
use vectorcode_measure::MeasureError;
use vectorcode_server::ServerError;
use vectorcode_team::TeamError;

use crate::interrupt;
use crate::output::style;
use crate::upgrade::UpgradeError;

/// How a command ended, unless it failed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// The query was valid, but nothing was found.
    NothingFound,
    /// It failed at least in part, and has printed why.
    Failed,
    /// The project can be searched, but vectors of the provider are missing or a folder could not be read; the warning says
    /// why.
    Incomplete,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::NothingFound => Self::from(1),
            Outcome::Failed => Self::from(2),
            Outcome::Incomplete => Self::from(3),
        }
    }
}

/// Runs a command and turns its result into an exit code.
pub fn report(command: impl FnOnce() -> anyhow::Result<Outcome>) -> ExitCode {
    match command() {
        Ok(_) if interrupt::was_interrupted() => interrupt::EXIT_CODE.into(),
        Err(error) if interrupt::was_interrupted() => {
            print(&error);
            interrupt::EXIT_CODE.into()
        }
        Ok(outcome) => outcome.into(),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            print(&error);
            ExitCode::from(2)
        }
    }
}

/// `vectorcode search ... | head` closes the pipe early; the reader got what it wanted.
fn is_closed_pipe(error: &Error) -> bool {
    error
        .root_cause()
        .downcast_ref::<io::Error>()
        .is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Prints an error and its hint to stderr.
pub fn print(error: &Error) {
    let mut err = anstream::AutoStream::auto(io::stderr().lock());
    let text = with_causes(error.as_ref());
    let text = visible_text(&text);
    let _ = writeln!(err, "{}error:{} {text}", style::ERROR.render(), style::ERROR.render_reset());
    drop(err);
    if let Some(hint) = hint_of(error) {
        print_hint(&hint);
    }
}

/// Prints what can be done about an error.
pub fn print_hint(hint: &str) {
    let hint = visible_text(hint);
    let mut err = anstream::AutoStream::auto(io::stderr().lock());
    let _ = writeln!(err, "{}hint:{} {hint}", style::HINT.render(), style::HINT.render_reset());
}

/// The hint of the first cause that has one. Every error type with a [`Diagnose`] is listed here.
fn hint_of(error: &Error) -> Option<String> {
    error.chain().find_map(|cause| {
        diagnosis::<EngineError>(cause)
            .or_else(|| diagnosis::<ConfigError>(cause))
            .or_else(|| diagnosis::<ServerError>(cause))
            .or_else(|| diagnosis::<MeasureError>(cause))
            .or_else(|| diagnosis::<TeamError>(cause))
            .or_else(|| diagnosis::<AgentError>(cause))
            .or_else(|| diagnosis::<UpgradeError>(cause))
    })
}

fn diagnosis<E: Diagnose + 'static>(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause.downcast_ref::<E>().and_then(Diagnose::hint)
}
