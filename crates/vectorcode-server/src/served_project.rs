//! One open project of the server: its engine, the background work that keeps its index up to date, and the runs that callers
//! request. All queries about a project go through here.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use vectorcode_core::api::{Activity, IndexRequest, StatusResponse};
use vectorcode_core::{CancelToken, Phase, SilentProgress, lock};
use vectorcode_engine::{Engine, EngineError, Keeper, Projects, Removal, Use};

use crate::access::Caller;
use crate::failure::{Failure, Fault};
use crate::metrics::ProjectFigures;
use crate::reindex::{AlreadyRunning, Job, Reindexer};
use crate::workers::Workers;

/// How long a query waits for the index to catch up with the disk right after its project was opened. Agents send their first
/// query at once, and a complete result after seconds is better for them than an empty one.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(5);
/// After this time, a query uses what has been indexed so far if the rest would take longer than the query would wait.
const PARTIAL_AFTER: Duration = Duration::from_secs(1);
/// How long a query waits for the first files of a project. Large trees on slow disks take a while to list.
const FIRST_FILES_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a cancellation waits for the work to stop. Work stops after the current batch, which may take longer with a remote
/// provider.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);

/// Whether the server works on its indexes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Background {
    /// It builds, embeds and watches, according to the settings.
    Keep,
    /// Indexes are used as they are.
    Off,
}

/// The outcome of a cancellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cancellation {
    Nothing,
    /// All work has stopped.
    Stopped,
    /// The current batch is still in progress.
    Stopping,
}

/// The state of a project, even before its first index exists.
#[derive(Debug)]
pub(crate) struct ProjectStatus {
    /// `None` while the first index is being built.
    pub(crate) index: Option<StatusResponse>,
    pub(crate) activity: Activity,
}

/// Cancels work on a blocking thread when the future that waits for it is dropped.
struct CancelOnDrop(CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[derive(Debug)]
pub(crate) struct ServedProject {
    engine: Arc<Engine>,
    /// The user's projects, with this one as the current project.
    projects: Arc<Projects>,
    workers: Arc<Workers>,
    keeper: Mutex<Option<Keeper>>,
    reindexer: Reindexer,
    /// Whether a caller watches the project, which keeps it open even if it is idle.
    is_pinned: AtomicBool,
    used_at: Mutex<Instant>,
}

impl ServedProject {
    /// Starts the background work. This call waits neither for an index nor for a model.
    pub(crate) fn start(
        engine: Arc<Engine>,
        projects: Projects,
        workers: Arc<Workers>,
        background: Background,
    ) -> Result<Arc<Self>, EngineError> {
        let keeper = match background {
            Background::Keep => Some(Keeper::start(engine.clone())?),
            Background::Off => None,
        };
        Ok(Arc::new(Self {
            engine,
            projects: Arc::new(projects),
            workers,
            keeper: Mutex::new(keeper),
            reindexer: Reindexer::default(),
            is_pinned: AtomicBool::new(false),
            used_at: Mutex::new(Instant::now()),
        }))
    }

    /// The project at a commit. If the commit is not in the index, it is indexed first, which stops if the future is dropped.
    pub(crate) async fn at(
        self: &Arc<Self>,
        revision: String,
        cancelled: CancellationToken,
    ) -> Result<Arc<Self>, Failure> {
        let reading =
            self.query_cancellable(move |engine, cancel| engine.at(&revision, &SilentProgress, cancel));
        let engine = tokio::select! {
            biased;
            engine = reading => engine?,
            () = cancelled.cancelled() => return Err(Failure::user("The request was cancelled.", None)),
        };
        Ok(Arc::new(Self {
            engine,
            projects: self.projects.clone(),
            workers: self.workers.clone(),
            // A commit never changes, so there is nothing to keep up to date.
            keeper: Mutex::new(None),
            reindexer: Reindexer::default(),
            is_pinned: AtomicBool::new(false),
            used_at: Mutex::new(Instant::now()),
        }))
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    pub(crate) fn root(&self) -> &Path {
        self.engine.project().root()
    }

    pub(crate) fn projects(&self) -> &Arc<Projects> {
        &self.projects
    }

    /// The projects that the caller may see.
    pub(crate) fn projects_for(&self, caller: &Caller) -> Arc<Projects> {
        match caller.projects() {
            visible if visible.is_all() => self.projects.clone(),
            visible => Arc::new(self.projects.seen_by(visible.clone())),
        }
    }

    pub(crate) fn workers(&self) -> &Workers {
        &self.workers
    }

    /// The last run that a caller requested.
    pub(crate) fn last_run(&self) -> Option<Job> {
        self.reindexer.last()
    }

    /// The metrics of its index, labelled with this name; `None` if there is no index. Queries the store.
    pub(crate) fn figures(&self, name: String) -> Option<ProjectFigures> {
        let counts = self.engine.is_indexed().then(|| self.engine.index_counts().ok())??;
        let synced: Option<jiff::Timestamp> = counts.last_sync_at.and_then(|time| time.parse().ok());
        let age = synced.and_then(|time| jiff::Timestamp::now().duration_since(time).try_into().ok());
        let is_working = !matches!(self.engine.activity(), Activity::Idle);
        Some(ProjectFigures {
            project: name,
            chunks: counts.chunks,
            pending: counts.pending,
            age,
            is_working,
        })
    }

    /// Marks the project as used.
    pub(crate) fn touch(&self) {
        *lock(&self.used_at) = Instant::now();
    }

    pub(crate) fn idle_time(&self) -> Duration {
        lock(&self.used_at).elapsed()
    }

    /// Whether it must stay open because a caller watches it or waits for a run.
    pub(crate) fn is_needed(&self) -> bool {
        self.is_pinned.load(Ordering::Relaxed) || self.last_run().is_some_and(|run| run.is_running())
    }

    /// Runs synchronous work of the engine on a blocking thread. Does not wait for the index to catch up.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        let engine = self.engine.clone();
        Ok(self.workers.run(move || work(&engine)).await??)
    }

    /// Runs `work` at once or not at all: returns `None` if the index has not caught up or other calls are waiting.
    #[cfg(unix)]
    pub(crate) async fn try_run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Option<T> {
        if !self.workers.has_free_slot() {
            return None;
        }
        let project = self.clone();
        let work = move || project.has_caught_up().then(|| work(&project.engine));
        self.workers.run(work).await.ok().flatten()
    }

    /// The contents of the index, and what is being done to it.
    pub(crate) async fn status(self: &Arc<Self>) -> Result<ProjectStatus, Failure> {
        let project = self.clone();
        self.workers.run(move || project.read_status()).await?
    }

    fn read_status(&self) -> Result<ProjectStatus, Failure> {
        let index = match self.engine.status() {
            Ok(status) => Some(status),
            Err(_) if self.is_building_first_index() => None,
            Err(error) => return Err(self.why_no_answer().unwrap_or_else(|| error.into())),
        };
        Ok(ProjectStatus { index, activity: self.engine.activity() })
    }

    /// Records a call for `vectorcode stats`.
    pub(crate) async fn record_use(&self, used: Use<'static>) {
        let engine = self.engine.clone();
        // Without a slot, so that the response does not wait for other queries. A panic only loses the numbers of one call.
        let _ = Workers::run_blocking_unslotted(move || engine.record_use(&used)).await;
    }

    /// Runs a query after the index has caught up.
    pub(crate) async fn query<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.query_cancellable(move |engine, _| question(engine)).await
    }

    /// Like [`Self::query`], for queries that may take long: the token is cancelled when the future is dropped. If a query fails
    /// while the first index is being built, the failure says so.
    pub(crate) async fn query_cancellable<T: Send + 'static>(
        self: &Arc<Self>,
        mut question: impl FnOnce(&Engine, &CancelToken) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        let asked = Instant::now();
        let cancel = CancelToken::default();
        // Dropped with this future, when the caller cancels the request or disconnects.
        let _cancel_on_drop = CancelOnDrop(cancel.clone());
        loop {
            let waited = asked.elapsed();
            let may_wait = !self.workers.shutdown().is_cancelled();
            let (project, cancel) = (self.clone(), cancel.clone());
            let work = move || {
                if may_wait && project.is_worth_waiting_for(waited) {
                    return Err(question);
                }
                Ok(project.answer(|engine| question(engine, &cancel)))
            };
            match self.workers.run(work).await? {
                Ok(answer) => return answer,
                Err(unasked) => question = unasked,
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Whether a query that has already waited this long should wait for more of the index. Queries the store.
    fn is_worth_waiting_for(&self, waited: Duration) -> bool {
        if self.has_caught_up() {
            return false;
        }
        if waited >= PARTIAL_AFTER && !self.engine.is_complete() && self.engine.indexed_files() > 0 {
            return waited + self.time_left() < CATCH_UP_TIMEOUT;
        }
        let expects_files = || self.expects_first_index() && self.engine.indexed_files() == 0;
        waited < CATCH_UP_TIMEOUT || waited < FIRST_FILES_TIMEOUT && expects_files()
    }

    /// How long reading the rest of the files takes at the current rate.
    fn time_left(&self) -> Duration {
        match self.engine.activity() {
            Activity::Running { phase: Phase::Chunk, done, total, per_second, .. } if per_second > 0.0 => {
                Duration::from_secs_f64((total.saturating_sub(done) as f64 / per_second).min(3600.0))
            }
            Activity::Running { .. } | Activity::Idle => Duration::ZERO,
        }
    }

    fn answer<T>(&self, question: impl FnOnce(&Engine) -> Result<T, EngineError>) -> Result<T, Failure> {
        if self.engine.commit().is_none() {
            self.engine.flush_pending();
        }
        match question(&self.engine) {
            Ok(answer) => Ok(answer),
            Err(error @ EngineError::Store(_)) => Err(self.why_no_answer().unwrap_or_else(|| error.into())),
            Err(error) => Err(self.with_pending(error.into())),
        }
    }

    /// Adds a note about files that are not indexed yet to a failure that something was not found.
    fn with_pending(&self, failure: Failure) -> Failure {
        if failure.fault != Fault::NotFound {
            return failure;
        }
        match self.engine.note_on_pending() {
            Some(pending) => failure.with_cause(pending),
            None => failure,
        }
    }

    /// Why there is no index, if the server knows. Queries the store.
    fn why_no_answer(&self) -> Option<Failure> {
        if self.engine.was_removed() {
            return Some(Failure::environment(
                "The index of this project was removed.",
                "`vec_reindex`, POST /api/v1/index or `vectorcode index` builds it again.",
            ));
        }
        if self.engine.is_paused() && !self.engine.is_complete() {
            return Some(Failure::environment(
                "The first index of this project was cancelled.",
                "`vec_reindex`, POST /api/v1/index or `vectorcode index` builds it.",
            ));
        }
        self.is_building_first_index().then(|| {
            Failure::environment(
                "The index of this project is being built.",
                "Try again in a few seconds; the status shows the progress.",
            )
        })
    }

    /// True while there is nothing to search because the first index does not exist yet. Queries the store.
    pub(crate) fn is_building_first_index(&self) -> bool {
        self.expects_first_index() && !self.has_caught_up()
    }

    /// Whether a first index will appear. False for a refused root (a home directory, a whole disk), and if the index was
    /// removed or cancelled.
    fn expects_first_index(&self) -> bool {
        let keeps = lock(&self.keeper).as_ref().is_some_and(|keeper| !keeper.has_ended());
        keeps
            && !self.engine.is_paused()
            && self.engine.config().indexing.auto_index
            && self.engine.project().check_root().is_ok()
    }

    /// Whether the index has caught up since the project was opened. Later changes are flagged in the results instead of waited
    /// for. Another process may be building the first index, so its presence is checked separately from our own keeper. That
    /// queries the store, which may have to wait for a database, so only blocking threads may call this. The result is not
    /// cached, because an index may be removed.
    fn has_caught_up(&self) -> bool {
        let waits_for_index = self.expects_first_index() && !self.engine.is_indexed();
        !waits_for_index && lock(&self.keeper).as_ref().is_none_or(Keeper::has_caught_up)
    }

    /// Starts a run, and resumes background work that was cancelled.
    pub(crate) fn start_run(&self, request: IndexRequest) -> Result<Job, AlreadyRunning> {
        let job = self.reindexer.start(&self.engine, request)?;
        if let Err(error) = self.keep() {
            tracing::warn!(%error, "the index is not kept up to date");
        }
        Ok(job)
    }

    /// Stops all work on the index: the requested run and the background work. The latter resumes with the next requested run.
    pub(crate) async fn cancel(&self) -> Result<Cancellation, Failure> {
        let (had_run, was_paused) = (self.reindexer.cancel(), self.engine.is_paused());
        let was_working = had_run || self.engine.is_working();
        let has_more = was_working || !was_paused && self.run(|engine| Ok(has_work_left(engine))).await?;
        if !has_more {
            return Ok(Cancellation::Nothing);
        }
        if let Some(keeper) = &*lock(&self.keeper) {
            keeper.pause();
        }
        self.engine.cancel_work();
        let deadline = Instant::now() + CANCEL_TIMEOUT;
        while self.engine.is_working() && Instant::now() < deadline {
            tokio::time::sleep(POLL).await;
        }
        let still_working = self.engine.is_working();
        Ok(if still_working { Cancellation::Stopping } else { Cancellation::Stopped })
    }

    /// Watches the project for changes and keeps it open, until [`Self::unwatch`] is called.
    pub(crate) fn watch(&self) -> Result<(), Failure> {
        if self.engine.config().watcher.disabled {
            return Err(Failure::user(
                "Watching is disabled, by `watcher.disabled` in the settings or by --no-watch.",
                "Action \"reindex\" brings the index up to date.",
            ));
        }
        self.keep()?;
        self.is_pinned.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Stops watching for changes, and all other background work. The index stays and can be queried.
    pub(crate) async fn unwatch(self: &Arc<Self>) -> Result<(), Failure> {
        self.is_pinned.store(false, Ordering::Relaxed);
        let project = self.clone();
        Workers::run_blocking_unslotted(move || project.stop()).await
    }

    /// Deletes the index and ends all work on it.
    pub(crate) async fn remove(self: &Arc<Self>) -> Result<(), Failure> {
        self.is_pinned.store(false, Ordering::Relaxed);
        let project = self.clone();
        let remove = move || {
            project.stop();
            project.engine.remove(Removal::Index)
        };
        Ok(Workers::run_blocking_unslotted(remove).await??)
    }

    /// Starts the keeper if there is none, or resumes it.
    fn keep(&self) -> Result<(), EngineError> {
        let mut keeper = lock(&self.keeper);
        match &*keeper {
            Some(keeper) if !keeper.has_ended() => keeper.resume(),
            _ => *keeper = Some(Keeper::start(self.engine.clone())?),
        }
        Ok(())
    }

    /// Ends all work. Returns when it has ended.
    pub(crate) fn stop(&self) {
        self.reindexer.cancel();
        let keeper = lock(&self.keeper).take();
        // Not while holding the lock, because this waits for the keeper's threads.
        drop(keeper);
    }
}

/// Whether there is background work left: files that are not indexed or not completely, or chunks without a vector.
fn has_work_left(engine: &Engine) -> bool {
    engine.project().check_root().is_ok()
        && (!engine.is_complete()
            || engine.lacks_structure()
            || engine.has_pending_vectors().unwrap_or(false))
}
