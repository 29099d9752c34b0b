//! `vectorcode index` and `vectorcode sync`: bring the index up to date.

use std::path::{Path, PathBuf};

use anyhow::Result;
use vectorcode_core::api::{IndexReport, IndexRequest};
use vectorcode_core::config::{IndexingConfig, Override};
use vectorcode_core::{CancelToken, is_within};
use vectorcode_engine::WhenLocked;

use crate::arg_values::{at_least_one, with_default};
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::interrupt;
use crate::output::{Printer, progress::ProgressBar, report};
use crate::session::Session;

#[derive(Debug, Default, clap::Args)]
pub struct IndexArgs {
    /// Rebuild from scratch; searches use the old index until the new one is complete
    #[arg(long, alias = "force")]
    pub full: bool,

    /// Only this file or directory (can be repeated)
    #[arg(long, value_name = "PATH", conflicts_with = "full")]
    pub file: Vec<PathBuf>,

    #[arg(long, value_name = "N", value_parser = at_least_one, help = concurrency_help())]
    pub concurrency: Option<usize>,

    /// Stop when the project is searchable, without computing vectors of the provider
    #[arg(long)]
    pub fast: bool,

    /// List the files that would be indexed, and those that would not with the reason; index nothing
    #[arg(long, conflicts_with_all = ["full", "fast", "concurrency"])]
    pub dry_run: bool,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct SyncArgs {
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

fn concurrency_help() -> String {
    let default = IndexingConfig::default().concurrency;
    with_default(
        "Maximum number of files processed in parallel",
        format_args!("{default}, at most one per core"),
    )
}

pub fn run(args: &IndexArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let overrides = args.concurrency.map(|number| Override {
        key: "indexing.concurrency",
        value: (number as i64).into(),
        flag: "--concurrency",
    });
    let session = Session::open(global, overrides.into_iter().collect(), printer)?;
    let paths: Vec<PathBuf> = args.file.iter().map(std::path::absolute).collect::<std::io::Result<_>>()?;
    if args.dry_run {
        return preview(&session, &paths, args.json, printer);
    }
    let request =
        IndexRequest { full: args.full, paths, stage_one_only: args.fast, ..IndexRequest::default() };
    let unknown = missing_paths(&session, &request.paths);
    let report = index(&session, &request, printer)?;
    show(&report, args.json, printer)?;
    for path in &unknown {
        printer.warn(format!("{} does not exist", path.display()));
    }
    Ok(if unknown.is_empty() { outcome(&request, &report) } else { Outcome::PartlyFailed })
}

fn preview(session: &Session, paths: &[PathBuf], json: bool, printer: &Printer) -> Result<Outcome> {
    let preview = session.engine.preview(paths, &CancelToken::default())?;
    if json {
        printer.json(&preview)?;
    } else {
        report::print_preview(&preview, &session.paths, printer)?;
    }
    Ok(if preview.files.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

/// Paths that are neither on disk nor in the index. A path that is only in the index was deleted, and naming it is how
/// a script tells us.
fn missing_paths(session: &Session, paths: &[PathBuf]) -> Vec<PathBuf> {
    let files = session.engine.files().unwrap_or_default();
    let is_indexed = |path: &Path| {
        let relative = session.engine.project().relative(path);
        relative.is_ok_and(|place| files.iter().any(|file| is_within(&file.path, &place)))
    };
    paths.iter().filter(|path| !path.exists() && !is_indexed(path)).cloned().collect()
}

/// `sync` is `index` without options; people and scripts expect a command of that name.
pub fn sync(args: &SyncArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    run(&IndexArgs { json: args.json, ..IndexArgs::default() }, global, printer)
}

/// Runs with a progress bar; Ctrl-C stops after the current batch.
pub fn index(session: &Session, request: &IndexRequest, printer: &Printer) -> Result<IndexReport> {
    let cancel = CancelToken::default();
    interrupt::cancels(&cancel)?;
    session.announce_first_index(printer);
    let bar = ProgressBar::new(printer);
    let report = session.engine.index(request, WhenLocked::Wait, &bar, &cancel);
    bar.finish();
    if report.is_err() && interrupt::was_interrupted() {
        return Err(interrupt::kept(None));
    }
    Ok(report?)
}

/// A run that was to make vectors and left some unmade is not the success that a script expects.
pub fn outcome(request: &IndexRequest, report: &IndexReport) -> Outcome {
    if report.pending > 0 && !request.stage_one_only { Outcome::VectorsMissing } else { Outcome::Done }
}

pub fn show(index_report: &IndexReport, json: bool, printer: &Printer) -> Result<()> {
    if json {
        printer.json(index_report)?;
    } else {
        report::print(index_report, printer);
    }
    Ok(())
}
