//! `vectorcode index push` and `pull`: uploads vectors for others, and downloads theirs.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use vectorcode_core::api::{IndexReport, IndexRequest};
use vectorcode_core::config::Override;
use vectorcode_core::{CancelToken, Diagnose, with_causes};
use vectorcode_team::{
    Location, ProjectIdentity, PullReport, PullRequest, PushReport, PushRequest, TeamError,
};

use super::index;
use super::share_args::{PlaceArgs, PullArgs, PushArgs, ShareCommand};
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::interrupt;
use crate::output::numbers::{bytes, grouped, plural};
use crate::output::{Printer, progress};
use crate::session::Session;

/// The report of a pull: what was downloaded, and what was computed here.
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
    read_files(&session, printer)?;
    pull_before_push(&session, &location)?;
    let index_request = IndexRequest::default();
    let indexed = uninterrupted(index::index(&session, &index_request, printer)?)?;
    indexed.notes.iter().for_each(|note| printer.warn(note));
    let cancel = CancelToken::default();
    interrupt::cancel_on_interrupt(&cancel)?;
    let bar = progress::transfer("Pushing", printer);
    let config = session.engine.config();
    let request = PushRequest {
        location: &location,
        settings: &config.share,
        dry_run: args.dry_run,
        keep: args.keep,
        progress: &progress::on(&bar),
        cancel: &cancel,
    };
    let pushed = vectorcode_team::push(&session.engine, &request);
    bar.finish_and_clear();
    let report = pushed?;
    if args.place.json {
        printer.json(&report)?;
    } else {
        printer.line(pushed_line(&report))?;
    }
    Ok(index::outcome(&index_request, &indexed))
}

/// Pulls first, because vectors that already exist need not be computed. A failure is only logged: before the first push there
/// is nothing to pull.
fn pull_before_push(session: &Session, location: &Location) -> Result<()> {
    let cancel = CancelToken::default();
    interrupt::cancel_on_interrupt(&cancel)?;
    let config = session.engine.config();
    let request = PullRequest { location, settings: &config.share, progress: &|_, _| {}, cancel: &cancel };
    match vectorcode_team::pull(&*session.engine, &request) {
        Err(TeamError::Cancelled) => Err(TeamError::Cancelled.into()),
        Err(error) => {
            tracing::debug!(%error, "nothing was pulled before the push");
            Ok(())
        }
        Ok(_) => Ok(()),
    }
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
    read_files(&session, printer)?;
    let pulled = pull_vectors(&session, &location, printer)?;
    let request = IndexRequest::default();
    let report = uninterrupted(index::index(&session, &request, printer)?)?;
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

/// Runs stage one. The command itself pulls, so the engine must not do it as part of a first index.
fn read_files(session: &Session, printer: &Printer) -> Result<()> {
    session.engine.skip_first_pull();
    let files = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
    uninterrupted(index::index(session, &files, printer)?).map(drop)
}

/// If Ctrl-C stopped the run, the command stops too.
fn uninterrupted(report: IndexReport) -> Result<IndexReport> {
    if report.cancelled { Err(interrupt::interrupted_error(Some(report.files))) } else { Ok(report) }
}

/// Pulling is only a shortcut: if it fails, a warning says why, and the vectors are computed here.
fn pull_vectors(session: &Session, location: &Location, printer: &Printer) -> Result<Option<PullReport>> {
    let cancel = CancelToken::default();
    interrupt::cancel_on_interrupt(&cancel)?;
    let bar = progress::transfer("Pulling", printer);
    let config = session.engine.config();
    let progress = &progress::on(&bar);
    let request = PullRequest { location, settings: &config.share, progress, cancel: &cancel };
    let pulled = vectorcode_team::pull(&*session.engine, &request);
    bar.finish_and_clear();
    match pulled {
        Ok(report) => {
            report.notes.iter().for_each(|note| printer.warn(note));
            Ok(Some(report))
        }
        Err(
            error @ (TeamError::Remote { .. } | TeamError::BadBundle { .. } | TeamError::BadSignature { .. }),
        ) => {
            let hint = error.hint().map_or_else(String::new, |hint| format!(" {hint}"));
            let error = with_causes(&error);
            printer.warn(format!("{}.{hint} All vectors are computed here.", error.trim_end_matches('.')));
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

/// Opens the session with the command line's values as settings, so that a first index pulls from the same place. Errors in the
/// location or the project are reported before anything is indexed.
fn open(args: &PlaceArgs, global: &GlobalArgs, printer: &Printer) -> Result<(Session, Location)> {
    let mut overrides = Vec::new();
    if let Some(url) = &args.url {
        // A folder is relative to the current directory, not to the root.
        let url =
            if url.contains("://") { url.clone() } else { std::path::absolute(url)?.display().to_string() };
        overrides.push(Override { key: "share.url", value: url.into(), flag: "URL" });
    }
    if let Some(project) = &args.project {
        overrides.push(Override { key: "share.project", value: project.clone().into(), flag: "--project" });
    }
    let session = Session::open_around(Path::new("."), global, overrides, printer)?;
    let config = session.engine.config();
    if let Some(withheld) = session.settings.withheld().filter(|_| config.share.url.is_empty()) {
        printer.warn(withheld.note());
    }
    let location = Location::parse(&config.share.url, session.engine.project().root())?;
    ProjectIdentity::of_folder(session.engine.project().root(), &config.share)?;
    Ok((session, location))
}
