//! `vectorcode worker`: clones, fetches and indexes the registered repositories.

use std::cell::Cell;
use std::time::Duration;

use anyhow::Result;
use vectorcode_core::CancelToken;
use vectorcode_core::config::WorkerConfig;
use vectorcode_team::{Repository, VisitOutcome, Worker};

use super::repo::{LocalArgs, worker_options};
use crate::arg_values::{duration_value, with_default};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::Printer;
use crate::output::numbers::plural;
use crate::session;

#[derive(Debug, clap::Args)]
pub struct WorkerArgs {
    #[arg(long, value_name = "TIME", value_parser = duration_value, help = every_help())]
    every: Option<Duration>,

    /// Check each repository once, then exit; exit code 2 if one of them failed
    #[arg(long)]
    once: bool,

    #[command(flatten)]
    local: LocalArgs,
}

fn every_help() -> String {
    let help = "Time between two checks for new commits, such as 30s or 5m";
    with_default(help, format_args!("{}s", WorkerConfig::default().every_secs))
}

pub fn run(args: &WorkerArgs, printer: &Printer) -> Result<Outcome> {
    let mut options = worker_options(args.local.protocols())?;
    if let Some(every) = args.every {
        options.settings.every_secs = every.as_secs();
    }
    let stop = CancelToken::default();
    interrupt::end_on_interrupt(&stop)?;
    let failed = Cell::new(false);
    let report = |repository: &Repository, visit: &VisitOutcome| {
        failed.set(failed.get() || matches!(visit, VisitOutcome::Failed(_)));
        tell(repository, visit, printer);
    };
    let place = options.directory.display().to_string();
    let open = session::background_engine;
    let worker = Worker::new(options, &open, stop);
    if args.once {
        worker.visit_all(&report)?;
        return Ok(if failed.get() { Outcome::Failed } else { Outcome::Done });
    }
    printer.note(format_args!("Keeping the registered repositories up to date in {place} (Ctrl-C to stop)"));
    worker.run(&report)?;
    Ok(Outcome::Done)
}

fn tell(repository: &Repository, visit: &VisitOutcome, printer: &Printer) {
    let name = &repository.name;
    match visit {
        VisitOutcome::Indexed { commit, files, chunks, .. } => {
            let commit = commit.get(..8).unwrap_or(commit);
            tracing::info!(repository = name, commit, files, chunks, "indexed");
            let (files, chunks) = (plural(*files, "file"), plural(*chunks, "chunk"));
            printer.note(format_args!("{name}: indexed {commit} ({files}, {chunks})"));
        }
        VisitOutcome::Failed(problem) => printer.warn(format_args!("{name}: {problem}")),
        VisitOutcome::Unchanged | VisitOutcome::Busy => {
            tracing::debug!(repository = name, ?visit, "nothing to do");
        }
    }
}
