//! `vectorcode index` and `vectorcode sync`: bring the index up to date.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use vectorcode_core::api::{IndexReport, IndexRequest};
use vectorcode_core::config::{IndexingConfig, Override, SettingsScope};
use vectorcode_core::{CancelToken, is_within};
use vectorcode_engine::WhenLocked;

use super::share_args::ShareCommand;
use crate::arg_values::{at_least_one, with_default};
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::interrupt;
use crate::output::numbers::plural;
use crate::output::{Printer, progress::ProgressBar, report};
use crate::session::Session;
use crate::settings_file;

#[derive(Debug, Default, clap::Args)]
pub struct IndexArgs {
    /// Only these files and directories; a directory of another project indexes that one [default: the whole project]
    #[arg(value_name = "PATH")]
    pub places: Vec<PathBuf>,

    /// Rebuild from scratch; searches use the old index until the new one is complete
    #[arg(long, alias = "force")]
    pub full: bool,

    /// Same as PATH; the name that codevec and the specification use
    #[arg(long, value_name = "PATH", hide = true, conflicts_with = "full")]
    pub file: Vec<PathBuf>,

    /// Read only changed files, which is what `index` does anyway. For scripts that were written for codevec
    #[arg(long, hide = true, conflicts_with = "full")]
    pub update: bool,

    /// Index files with these further extensions in this run, as text or as a known language: .inc,.tpl=html. To keep
    /// them in later runs, set `indexing.extra_extensions`
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub extra_extensions: Vec<String>,

    /// Leave out files that match these patterns, as in .gitignore. Searches and later runs leave them out too: the patterns
    /// are added to `indexing.ignore` in the settings of the project
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub ignore: Vec<String>,

    #[arg(long, value_name = "N", value_parser = at_least_one, help = concurrency_help())]
    pub concurrency: Option<usize>,

    /// Stop when the project is searchable, without computing vectors of the provider
    #[arg(long)]
    pub fast: bool,

    /// Run at low priority on half of the cores. A search starts this to compute the vectors that were missing
    #[arg(long, hide = true)]
    pub background: bool,

    /// Delete the index data of commits that were queried with --ref; index nothing
    #[arg(long, conflicts_with_all = ["full", "fast", "concurrency", "ignore", "dry_run", "places"])]
    pub prune: bool,

    /// List the files that would be indexed, and those that would not, with the reason; index nothing
    #[arg(long, conflicts_with_all = ["full", "fast", "concurrency", "ignore"])]
    pub dry_run: bool,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,

    #[command(subcommand)]
    pub command: Option<ShareCommand>,
}

const STRUCTURE_LATER: &str = "The project can be searched. Definitions, calls and imports are read when they are first needed, by a \
                               server in the background, or by `vectorcode index`.";

#[derive(Debug, clap::Args)]
pub struct SyncArgs {
    /// Stop when the project is searchable, without computing vectors of the provider
    #[arg(long)]
    pub fast: bool,

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
    let mut session = open(args, global, printer)?;
    if !args.ignore.is_empty() {
        keep_ignored(&args.ignore, &session, printer)?;
        session = open(args, global, printer)?;
    }
    let paths = paths(args, &session)?;
    if args.full && !paths.is_empty() {
        bail!("--full rebuilds the whole project: leave out {}, or --full", paths[0].display());
    }
    if args.prune {
        return prune(&session, printer);
    }
    if args.dry_run {
        return preview(&session, &paths, args.json, printer);
    }
    let (stage_one_only, structure_later) = (args.fast, args.fast);
    let request =
        IndexRequest { full: args.full, paths, stage_one_only, structure_later, ..IndexRequest::default() };
    let unknown = missing_paths(&session, &request.paths);
    let report = index(&session, &request, printer)?;
    show(&report, args.json, printer)?;
    if args.fast && session.engine.lacks_structure() {
        printer.note(STRUCTURE_LATER);
    }
    for path in &unknown {
        printer.warn(format!("{} does not exist", path.display()));
    }
    Ok(if unknown.is_empty() { outcome(&request, &report) } else { Outcome::Failed })
}

fn open(args: &IndexArgs, global: &GlobalArgs, printer: &Printer) -> Result<Session> {
    if args.background {
        Session::open_server(global, overrides(args), printer)
    } else {
        Session::open_around(&start(&args.places), global, overrides(args), printer)
    }
}

/// Adds patterns to the project's settings, so that later runs and searches leave out the same files.
fn keep_ignored(patterns: &[String], session: &Session, printer: &Printer) -> Result<()> {
    let mut ignored = session.engine.config().indexing.ignore.clone();
    ignored.extend(patterns.iter().filter(|pattern| !ignored.contains(pattern)).cloned().collect::<Vec<_>>());
    let file = session.engine.project().config_file();
    settings_file::set(&file, &[("indexing.ignore", ignored.into())], SettingsScope::Project)?;
    printer.note(format_args!("Added to `indexing.ignore` in {}.", file.display()));
    Ok(())
}

fn prune(session: &Session, printer: &Printer) -> Result<Outcome> {
    let cancel = CancelToken::default();
    interrupt::cancel_on_interrupt(&cancel)?;
    let forgotten = session.engine.forget_commits(&cancel)?;
    printer.note(format!("Deleted {} found only in other commits.", plural(forgotten, "file")));
    Ok(Outcome::Done)
}

fn overrides(args: &IndexArgs) -> Vec<Override> {
    let concurrency = args.concurrency.map(|number| Override {
        key: "indexing.concurrency",
        value: (number as i64).into(),
        flag: "--concurrency",
    });
    let extensions = (!args.extra_extensions.is_empty()).then(|| Override {
        key: "indexing.extra_extensions",
        value: args.extra_extensions.clone().into(),
        flag: "--extra-extensions",
    });
    concurrency.into_iter().chain(extensions).collect()
}

/// Where the search for the root starts: the first place if it is a directory, or the directory of that file.
fn start(places: &[PathBuf]) -> PathBuf {
    let here = PathBuf::from(".");
    match places.first().and_then(|place| std::path::absolute(place).ok()) {
        Some(place) if place.is_dir() => place,
        Some(place) if place.is_file() => place.parent().map_or(here, Path::to_path_buf),
        _ => here,
    }
}

/// The paths to index. The root itself means the whole project, so it is no restriction.
fn paths(args: &IndexArgs, session: &Session) -> Result<Vec<PathBuf>> {
    let root = session.engine.project().root();
    let is_root = |path: &Path| vectorcode_core::canonical(path).is_ok_and(|path| path == root);
    let places = args.places.iter().filter(|place| !is_root(place));
    Ok(places.chain(&args.file).map(std::path::absolute).collect::<std::io::Result<_>>()?)
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

/// Paths that are neither on disk nor in the index. A path that is only in the index was deleted; scripts pass it to report
/// that.
fn missing_paths(session: &Session, paths: &[PathBuf]) -> Vec<PathBuf> {
    let files = session.engine.files().unwrap_or_default();
    let is_indexed = |path: &Path| {
        let relative = session.engine.project().relative(path);
        relative.is_ok_and(|place| files.iter().any(|file| is_within(&file.path, &place)))
    };
    paths.iter().filter(|path| !path.exists() && !is_indexed(path)).cloned().collect()
}

/// `sync` is `index` for the whole project, under the name that people and scripts expect.
pub fn sync(args: &SyncArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    run(&IndexArgs { fast: args.fast, json: args.json, ..IndexArgs::default() }, global, printer)
}

/// Runs with a progress bar; Ctrl-C stops after the current batch.
pub fn index(session: &Session, request: &IndexRequest, printer: &Printer) -> Result<IndexReport> {
    let cancel = CancelToken::default();
    interrupt::cancel_on_interrupt(&cancel)?;
    session.announce_first_index(printer, &cancel)?;
    let bar = ProgressBar::new(printer);
    let report = session.engine.index(request, WhenLocked::Wait, &bar, &cancel);
    bar.finish();
    if report.is_err() && interrupt::was_interrupted() {
        return Err(interrupt::interrupted_error(None));
    }
    Ok(report?)
}

/// `Incomplete` if the run should have computed vectors and some are missing, or if part of the project could not be read.
/// Scripts must not take either for success.
pub fn outcome(request: &IndexRequest, report: &IndexReport) -> Outcome {
    let lacks_vectors = report.pending > 0 && !request.stage_one_only;
    if lacks_vectors || !report.unreachable.is_empty() { Outcome::Incomplete } else { Outcome::Done }
}

pub fn show(index_report: &IndexReport, json: bool, printer: &Printer) -> Result<()> {
    if json {
        printer.json(index_report)?;
    } else {
        report::print(index_report, printer);
    }
    Ok(())
}
