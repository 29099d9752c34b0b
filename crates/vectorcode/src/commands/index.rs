//! `vectorcode index` and `vectorcode sync`: bring the index up to date.

use std::path::PathBuf;

use anyhow::Result;
use vectorcode_core::CancelToken;
use vectorcode_core::api::{IndexReport, IndexRequest};
use vectorcode_core::config::Override;
use vectorcode_engine::WhenLocked;

use crate::args::GlobalArgs;
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{Printer, progress::ProgressBar, report};
use crate::session::Session;

#[derive(Debug, Default, clap::Args)]
pub struct IndexArgs {
    /// Rebuild from scratch, beside the old index, which answers until the new one is ready
    #[arg(long, alias = "force")]
    pub full: bool,

    /// Only this file or directory (may be given more than once)
    #[arg(long, value_name = "PATH", conflicts_with = "full")]
    pub file: Vec<PathBuf>,

    /// Files processed at a time [default: 8, at most one a core]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<usize>,

    /// Stop when the project is searchable, without vectors of the provider
    #[arg(long)]
    pub fast: bool,

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

pub fn run(args: &IndexArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let overrides = args.concurrency.map(|number| Override {
        key: "indexing.concurrency",
        value: (number as i64).into(),
        flag: "--concurrency",
    });
    let session = Session::open(global, overrides.into_iter().collect(), printer)?;
    let paths = args.file.iter().map(std::path::absolute).collect::<std::io::Result<_>>()?;
    let request = IndexRequest { full: args.full, paths, stage_one_only: args.fast };
    let report = index(&session, &request, printer)?;
    show(&report, args.json, printer)
}

/// `sync` is `index` for what changed; it exists because people and scripts expect it.
pub fn sync(args: &SyncArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    run(&IndexArgs { json: args.json, ..IndexArgs::default() }, global, printer)
}

/// Runs with a progress bar; Ctrl-C stops it at the next batch.
pub fn index(session: &Session, request: &IndexRequest, printer: &Printer) -> Result<IndexReport> {
    let cancel = CancelToken::default();
    interrupt::cancels(&cancel)?;
    let bar = ProgressBar::new(printer);
    let report = session.engine.index(request, WhenLocked::Wait, &bar, &cancel);
    bar.finish();
    Ok(report?)
}

pub fn show(index_report: &IndexReport, json: bool, printer: &Printer) -> Result<Outcome> {
    if json {
        printer.json(index_report)?;
    } else {
        report::print(index_report, printer);
    }
    Ok(Outcome::Done)
}
