//! Before a query: create a missing index, and index the files that changed since the last run.

use anyhow::Result;
use vectorcode_core::api::IndexRequest;
use vectorcode_core::{CancelToken, SilentProgress};
use vectorcode_engine::{EngineError, WhenLocked};

use crate::output::Printer;
use crate::output::numbers::plural;
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct FreshenArgs {
    /// Fail if there is no index, instead of creating one
    #[arg(long)]
    no_init: bool,

    /// Use the index as it is, without checking for changed files first
    #[arg(long)]
    pub no_sync: bool,
}

/// Brings the index up to date as far as that is quick, so that the results match the files on disk.
pub fn freshen(session: &Session, args: &FreshenArgs, printer: &Printer) -> Result<()> {
    let engine = &session.engine;
    let missing = !engine.is_indexed();
    if missing && (args.no_init || !engine.config().indexing.auto_index) {
        return Err(EngineError::not_initialized().into());
    }
    // A first run that failed or was stopped leaves an index that would answer "nothing found" to everything.
    if missing || !engine.is_complete() {
        return make_index(session, printer);
    }
    if !args.no_sync {
        engine.freshen(&CancelToken::default());
    }
    Ok(())
}

fn make_index(session: &Session, printer: &Printer) -> Result<()> {
    session.announce_first_index(printer);
    let request = IndexRequest { stage_one_only: true, query_waits: true, ..IndexRequest::default() };
    let report =
        session.engine.index(&request, WhenLocked::Wait, &SilentProgress, &CancelToken::default())?;
    printer.note(format!(
        "Indexed {} in {:.1}s. Run `vectorcode index` once for better results.",
        plural(report.files, "file"),
        report.times.total_ms / 1e3
    ));
    Ok(())
}
