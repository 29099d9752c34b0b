//! Before a query: create a missing index, and index the files that changed since the last run.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Result;
use vectorcode_core::api::{ChangesRequest, IndexReport, IndexRequest};
use vectorcode_core::{CancelToken, Phase, Progress, ProgressSink};
use vectorcode_engine::{Engine, EngineError, WhenLocked};

use crate::interrupt;
use crate::output::Printer;
use crate::output::numbers::{grouped, plural};
use crate::output::progress::ProgressBar;
use crate::session::Session;

#[derive(Debug, Default, clap::Args)]
pub struct FreshenArgs {
    /// Fail if there is no index, instead of creating one
    #[arg(long)]
    no_init: bool,

    /// Use the index as it is, without checking for changed files first
    #[arg(long)]
    pub no_sync: bool,

    /// Answer for a branch, tag or commit instead of the files on disk, without checking it out
    #[arg(long = "ref", value_name = "REF")]
    pub revision: Option<String>,
}

/// What a query waits for before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreshenWait {
    pub limit: WaitLimit,
    /// Whether to wait for definitions, references and imports too, not only for the text index.
    pub for_structure: bool,
}

impl FreshenWait {
    /// For queries about structure, since an incomplete list of callers is wrong.
    pub const FOR_STRUCTURE: Self = Self { limit: WaitLimit::UntilComplete, for_structure: true };
    /// For exact matches, since an incomplete list of matches is wrong.
    pub const FOR_WORDS: Self = Self { limit: WaitLimit::UntilComplete, for_structure: false };

    fn request(self) -> IndexRequest {
        if self.for_structure { IndexRequest::before_structure() } else { IndexRequest::before_search() }
    }
}

/// How long a query waits for files to be indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitLimit {
    /// Until all files are indexed.
    UntilComplete,
    /// On a terminal, only for [`MAX_WAIT`]: good results from most files are better than none.
    Bounded,
}

/// After this time, a search on a terminal uses what has been indexed so far, unless less than [`NEARLY_DONE`] is left.
const MAX_WAIT: Duration = Duration::from_secs(10);
const NEARLY_DONE: Duration = Duration::from_secs(5);

/// Brings the index up to date as far as that is quick, so that results match the files on disk. With `--ref`, the session is
/// switched to that commit.
pub fn freshen(
    session: &mut Session,
    args: &FreshenArgs,
    wait: FreshenWait,
    printer: &Printer,
) -> Result<()> {
    let revision = args.revision.as_deref().or(session.engine.project().default_revision());
    // Results for a commit do not depend on the files on disk. They only need an index to exist.
    if revision.is_none() || !session.engine.is_complete() {
        freshen_working_tree(session, args, wait, printer)?;
    }
    match revision.map(str::to_owned) {
        Some(revision) => turn_to(session, &revision, printer),
        None => Ok(()),
    }
}

/// Indexes the commits of a diff, with a progress bar, before the query.
pub fn read_commits(session: &Session, revisions: &ChangesRequest, printer: &Printer) -> Result<()> {
    let named = [&revisions.base, &revisions.commit];
    named.into_iter().flatten().try_for_each(|revision| read_commit(session, revision, printer).map(drop))
}

fn read_commit(session: &Session, revision: &str, printer: &Printer) -> Result<Arc<Engine>> {
    with_progress(printer, |sink, cancel| session.engine.at(revision, sink, cancel))
}

/// Runs a query that may have to index a commit first. Waits for all of it, since part of its files would give wrong results.
pub fn with_progress<T>(
    printer: &Printer,
    ask: impl FnOnce(&dyn ProgressSink, &CancelToken) -> Result<T, EngineError>,
) -> Result<T> {
    let cancel = CancelToken::default();
    interrupt::cancel_on_interrupt(&cancel)?;
    let run = Run::new(FreshenWait::FOR_WORDS, cancel, printer);
    let answer = ask(&run, &run.cancel);
    run.finish();
    Ok(answer?)
}

fn turn_to(session: &mut Session, revision: &str, printer: &Printer) -> Result<()> {
    session.engine = read_commit(session, revision, printer)?;
    printer.note(session.engine.commit_note().unwrap_or_default());
    Ok(())
}

fn freshen_working_tree(
    session: &Session,
    args: &FreshenArgs,
    wait: FreshenWait,
    printer: &Printer,
) -> Result<()> {
    let engine = &session.engine;
    let missing = !engine.is_indexed();
    if missing && (args.no_init || !engine.config().indexing.auto_index) {
        return Err(EngineError::not_initialized().into());
    }
    let cancel = CancelToken::default();
    // A first run that failed or was stopped leaves an index that would find nothing for every query.
    if missing || !engine.is_complete() {
        // Before anything is shown, because users may press Ctrl-C as soon as they see it or are asked.
        interrupt::cancel_on_interrupt(&cancel)?;
        session.announce_first_index(printer, &cancel)?;
        return make_index(session, &Run::new(wait, cancel, printer), printer);
    }
    let run = Run::new(wait, cancel, printer);
    if !args.no_sync {
        engine.freshen(&run.wait.request(), &run, &run.cancel);
        run.finish();
        if run.gave_up() {
            let (done, total) = run.progress();
            printer.note(format!(
                "{} of {} have been read. {CONTINUE}",
                grouped(done),
                plural(total, "changed file")
            ));
        }
    }
    Ok(())
}

const CONTINUE: &str = "The next search continues; --wait reads them all first.";

fn make_index(session: &Session, run: &Run, printer: &Printer) -> Result<()> {
    let report = index(session, run, printer);
    run.finish();
    if interrupt::was_interrupted() {
        return Err(interrupt::interrupted_error(report.ok().flatten().map(|report| report.files)));
    }
    let Some(report) = report? else { return Ok(()) };
    if run.gave_up() {
        // Counts all files, not only those of this run, since an earlier run may have been stopped too.
        let (done, total) = run.progress();
        let all = report.files + total.saturating_sub(done);
        printer.note(format!(
            "{} of {} have been read. {CONTINUE}",
            grouped(report.files),
            plural(all, "file")
        ));
    } else if report.files == 0 {
        printer.note(
            "There are no files to index. `vectorcode index --dry-run` lists what is left out, and why.",
        );
    } else {
        let seconds = report.times.total_ms / 1e3;
        let (files, hint) = (files(&report), "Run `vectorcode index` once for better results.");
        printer.note(format!("Indexed {files} in {seconds:.1}s. {hint}"));
    }
    Ok(())
}

fn files(report: &IndexReport) -> String {
    plural(report.files, "file")
}

/// `None` if another process is building the index and the search should use what it has so far.
fn index(session: &Session, run: &Run, printer: &Printer) -> Result<Option<IndexReport>> {
    let request = run.wait.request();
    let index = |when_locked| session.engine.index(&request, when_locked, run, &run.cancel);
    match index(WhenLocked::Fail) {
        Err(error) if error.is_locked() => {
            printer.note("Another vectorcode process is indexing this project.");
            if run.wait.limit == WaitLimit::Bounded && session.engine.is_indexed() {
                return Ok(None);
            }
            Ok(Some(index(WhenLocked::Wait)?))
        }
        report => Ok(Some(report?)),
    }
}

/// One indexing run before a query: shows its progress, and stops it when it takes too long.
struct Run {
    wait: FreshenWait,
    bar: ProgressBar,
    cancel: CancelToken,
    state: Mutex<RunState>,
}

#[derive(Default)]
struct RunState {
    last: Option<Progress>,
    gave_up: bool,
}

impl Run {
    fn new(wait: FreshenWait, cancel: CancelToken, printer: &Printer) -> Self {
        let limit = if std::io::stdout().is_terminal() { wait.limit } else { WaitLimit::UntilComplete };
        let bar = ProgressBar::transient(printer);
        Self { wait: FreshenWait { limit, ..wait }, bar, cancel, state: Mutex::default() }
    }

    fn finish(&self) {
        self.bar.finish();
    }

    /// Whether the run was stopped because it took too long.
    fn gave_up(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.gave_up)
    }

    /// The number of files that this run has indexed, and the number that it should index.
    fn progress(&self) -> (u64, u64) {
        let last = self.state.lock().ok().and_then(|state| state.last.clone());
        last.map_or((0, 0), |progress| (progress.done, progress.total))
    }
}

impl ProgressSink for Run {
    fn report(&self, progress: &Progress) {
        self.bar.report(progress);
        let Ok(mut state) = self.state.lock() else { return };
        state.last = Some(progress.clone());
        if self.wait.limit == WaitLimit::Bounded && is_too_long(progress) {
            state.gave_up = true;
            self.cancel.cancel();
        }
    }
}

/// Whether indexing takes longer than anybody wants to wait for results.
fn is_too_long(progress: &Progress) -> bool {
    let left = progress.total.saturating_sub(progress.done) as f64 / progress.rate().max(f64::EPSILON);
    progress.phase == Phase::Chunk && progress.elapsed >= MAX_WAIT && left > NEARLY_DONE.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(seconds: u64, phase: Phase, done: u64, total: u64) -> bool {
        let elapsed = Duration::from_secs(seconds);
        is_too_long(&Progress { phase, done, total, bytes: 0, chunks: None, elapsed })
    }

    #[test]
    fn patience_ends_after_ten_seconds_unless_little_is_left() {
        assert!(!after(9, Phase::Chunk, 100, 50_000));
        assert!(after(10, Phase::Chunk, 100, 50_000));
        assert!(!after(10, Phase::Chunk, 40_000, 50_000), "two and a half seconds are left");
        assert!(!after(60, Phase::Discover, 0, 0), "a list with holes would look like deleted files");
    }
}
