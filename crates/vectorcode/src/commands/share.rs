//! `vectorcode index push` and `pull`: vectors for others, and those that others have made.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use vectorcode_core::api::{IndexReport, IndexRequest};
use vectorcode_core::config::Override;
use vectorcode_core::{CancelToken, Diagnose, with_causes};
use vectorcode_share::{
    Location, ProjectIdentity, PullReport, PullRequest, PushReport, PushRequest, ShareError,
};

use super::index;
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::interrupt;
use crate::output::numbers::{bytes, grouped, plural};
use crate::output::{Printer, progress};
use crate::session::Session;

/// To index a folder that is called so, write `./push` or `./pull`.
#[derive(Debug, clap::Subcommand)]
pub enum ShareCommand {
    /// Upload the vectors of the commit that is checked out, for colleagues to pull
    #[command(after_help = "\
The index is brought up to date first. Only files that are as the commit has them are pushed, and of them only vectors: no
source text, and no path. Only what is not there yet is uploaded.

With VECTORCODE_SHARE_SIGNING_KEY, the secret key of minisign, the bundle is signed.

Examples:
  vectorcode index push s3://team-bucket/indexes
  vectorcode index push /mnt/share/indexes --dry-run
  vectorcode index push                                # to share.url")]
    Push(PushArgs),

    /// Bring the index up to date with vectors that a colleague or CI has pushed
    #[command(after_help = "\
Takes the newest bundle whose commit this checkout comes from, and of it the vectors of the texts that are on this disk. All
other vectors are made here, as by `vectorcode index`.

Examples:
  vectorcode index pull s3://team-bucket/indexes
  vectorcode index pull https://example.com/indexes --project github.com/team/shop
  vectorcode index pull                                # from share.url

Exit codes: 0 success, 2 error, 3 searchable, but vectors of the provider are missing")]
    Pull(PullArgs),
}

#[derive(Debug, clap::Args)]
pub struct PlaceArgs {
    /// A folder, s3://bucket/path, gs://bucket/path, az://container/path, or https://host/path to pull [default: share.url]
    #[arg(value_name = "URL")]
    pub url: Option<String>,

    /// The name of the project there, such as github.com/team/shop [default: share.project, or the git remote]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct PushArgs {
    #[command(flatten)]
    pub place: PlaceArgs,

    /// Say what would be uploaded, and upload nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Delete older bundles of the project there, all but the N that were pushed last
    #[arg(long, value_name = "N", value_parser = crate::arg_values::at_least_one)]
    pub keep: Option<usize>,
}

#[derive(Debug, clap::Args)]
pub struct PullArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// The report of a pull: what came from others, and what was made here.
#[derive(Debug, Serialize)]
struct PullOutput<'a> {
    pull: Option<&'a PullReport>,
    index: &'a IndexReport,
}

pub fn run(command: &ShareCommand, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    match command {
        ShareCommand::Push(args) => push(args, global, printer),
        ShareCommand::Pull(args) => pull(args, global, printer),
    }
}

fn push(args: &PushArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let (session, location) = open(&args.place, global, printer)?;
    let index_request = IndexRequest::default();
    let indexed = index::index(&session, &index_request, printer)?;
    for note in &indexed.notes {
        printer.warn(note);
    }
    let cancel = CancelToken::default();
    interrupt::cancels(&cancel)?;
    let bar = progress::transfer("Pushing", printer);
    let config = session.engine.config();
    let request = PushRequest {
        location: &location,
        settings: &config.share,
        dry_run: args.dry_run,
        keep: args.keep,
        progress: &|done, total| {
            bar.set_length(total);
            bar.set_position(done);
        },
        cancel: &cancel,
    };
    let pushed = vectorcode_share::push(&session.engine, &request);
    bar.finish_and_clear();
    let report = pushed?;
    if args.place.json {
        printer.json(&report)?;
    } else {
        printer.line(pushed_line(&report))?;
    }
    Ok(index::outcome(&index_request, &indexed))
}

fn pushed_line(report: &PushReport) -> String {
    let PushReport { place, commit, .. } = report;
    let commit = short(commit);
    let all = format!("{} of {}", plural(report.vectors, "vector"), plural(report.files, "file"));
    let pruned = match report.pruned {
        0 => String::new(),
        objects => format!(" {} deleted.", plural(objects, "older object")),
    };
    if report.packs_new == 0 {
        return format!("All {all} at {commit} are in {place} already.{pruned}");
    }
    let verb = if report.dry_run { "Would push" } else { "Pushed" };
    let new = grouped(report.vectors_new);
    format!("{verb} {all} at {commit} to {place}: {new} new, {}.{pruned}", bytes(report.bytes))
}

fn pull(args: &PullArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let (session, location) = open(&args.place, global, printer)?;
    let files = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
    index::index(&session, &files, printer)?;
    session.engine.skip_first_pull();
    let pulled = pull_vectors(&session, &location, printer)?;
    let request = IndexRequest::default();
    let report = index::index(&session, &request, printer)?;
    if args.place.json {
        printer.json(&PullOutput { pull: pulled.as_ref(), index: &report })?;
    } else {
        if let Some(line) = pulled.as_ref().and_then(pulled_line) {
            printer.note(line);
        }
        index::show(&report, false, printer)?;
    }
    Ok(index::outcome(&request, &report))
}

/// What others have made is a shortcut: where it cannot be had, a warning says why and the vectors are made here.
fn pull_vectors(session: &Session, location: &Location, printer: &Printer) -> Result<Option<PullReport>> {
    let cancel = CancelToken::default();
    interrupt::cancels(&cancel)?;
    let bar = progress::transfer("Pulling", printer);
    let config = session.engine.config();
    let show = |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    };
    let request = PullRequest { location, settings: &config.share, progress: &show, cancel: &cancel };
    let pulled = vectorcode_share::pull(&session.engine, &request);
    bar.finish_and_clear();
    match pulled {
        Ok(report) => {
            report.notes.iter().for_each(|note| printer.warn(note));
            Ok(Some(report))
        }
        Err(
            error @ (ShareError::Remote { .. }
            | ShareError::BadBundle { .. }
            | ShareError::BadSignature { .. }),
        ) => {
            let hint = error.hint().map_or_else(String::new, |hint| format!(" {hint}"));
            let error = with_causes(&error);
            printer.warn(format!("{}.{hint} All vectors are made here.", error.trim_end_matches('.')));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn pulled_line(report: &PullReport) -> Option<String> {
    let commit = short(report.commit.as_deref()?);
    Some(format!(
        "{} of {} came from {} (commit {commit}, {} of {} with the same content, {})",
        grouped(report.filled),
        plural(report.missing, "missing vector"),
        report.place,
        grouped(report.files_matched),
        plural(report.files, "file"),
        bytes(report.bytes)
    ))
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// The session with what the command line says as settings, so that a first index pulls from there too. What is wrong with the
/// place or the project is said before anything is indexed.
fn open(args: &PlaceArgs, global: &GlobalArgs, printer: &Printer) -> Result<(Session, Location)> {
    let mut overrides = Vec::new();
    if let Some(url) = &args.url {
        // A folder is meant from here, not from the root.
        let url =
            if url.contains("://") { url.clone() } else { std::path::absolute(url)?.display().to_string() };
        overrides.push(Override { key: "share.url", value: url.into(), flag: "URL" });
    }
    if let Some(project) = &args.project {
        overrides.push(Override { key: "share.project", value: project.clone().into(), flag: "--project" });
    }
    let session = Session::open_around(Path::new("."), global, overrides, printer)?;
    let config = session.engine.config();
    let location = Location::parse(&config.share.url, session.engine.project().root())?;
    ProjectIdentity::of_folder(session.engine.project().root(), &config.share)?;
    Ok((session, location))
}
