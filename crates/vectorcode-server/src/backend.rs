//! State that all front ends of one server share: the open projects, and limits on concurrent work.
//!
//! A server is started for one project, and serves any other that a caller names. Those are opened on first use. The number of
//! open projects is bounded, because each holds its index in memory and watches its files: a new one replaces the least
//! recently used one, and idle ones are closed after some time.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vectorcode_core::api::ProjectsResponse;
use vectorcode_core::lock;
use vectorcode_engine::{Engine, Freshen, Project, Projects};

use crate::access::Caller;
use crate::error::ServerError;
use crate::failure::Failure;
use crate::limits::{MAX_EVENT_STREAMS, MAX_REQUESTS};
use crate::metrics::{Metrics, ProjectFigures};
use crate::served_project::{Background, ServedProject};
use crate::shown_code::ShownCode;
use crate::workers::Workers;

/// How long a stopping server waits for background work to reach a safe point. A hard stop does not damage the index,
/// so a short wait is enough.
const STOP_TIMEOUT: Duration = Duration::from_millis(1500);
/// How often to look for idle projects.
const IDLE_CHECK: Duration = Duration::from_secs(1);
/// How long the graph of files stays in memory after the last request for it.
const STRUCTURE_STAYS: Duration = Duration::from_mins(1);

/// The state that every request handler shares.
#[derive(Debug)]
pub(crate) struct Backend {
    /// The project that the server was started for.
    start: Arc<ServedProject>,
    /// All open projects, least recently used first.
    open: Mutex<Vec<Arc<ServedProject>>>,
    workers: Arc<Workers>,
    event_slots: Arc<Semaphore>,
    request_slots: Arc<Semaphore>,
    shown_code: ShownCode,
    background: Background,
    /// HTTP requests in progress.
    in_progress: TaskTracker,
    is_draining: AtomicBool,
}

impl Backend {
    /// Starts a backend with background work, on the caller's runtime.
    pub(crate) fn start(engine: Arc<Engine>) -> Result<Arc<Self>, ServerError> {
        let backend = Self::with_background(engine, Background::Keep)?;
        tokio::spawn(close_idle_projects(Arc::downgrade(&backend), backend.shutdown().clone()));
        Ok(backend)
    }

    /// Starts a backend without background work: indexes are used as they are.
    pub(crate) fn idle(engine: Arc<Engine>) -> Result<Arc<Self>, ServerError> {
        Self::with_background(engine, Background::Off)
    }

    fn with_background(engine: Arc<Engine>, background: Background) -> Result<Arc<Self>, ServerError> {
        let (workers, projects) = (Workers::new(), Projects::around(engine.clone(), Freshen::Never));
        let start = ServedProject::start(engine, projects, workers.clone(), background)?;
        Ok(Arc::new(Self {
            open: Mutex::new(vec![start.clone()]),
            start,
            workers,
            event_slots: Arc::new(Semaphore::new(MAX_EVENT_STREAMS)),
            request_slots: Arc::new(Semaphore::new(MAX_REQUESTS)),
            shown_code: ShownCode::default(),
            background,
            in_progress: TaskTracker::new(),
            is_draining: AtomicBool::new(false),
        }))
    }

    /// The project that the server was started for.
    pub(crate) fn start_project(&self) -> &Arc<ServedProject> {
        &self.start
    }

    /// The same, if the caller may see it.
    pub(crate) async fn start_project_for(&self, caller: &Caller) -> Result<Arc<ServedProject>, Failure> {
        if self.shows_start(caller).await? {
            Ok(self.start.clone())
        } else {
            Err(Caller::must_name_project())
        }
    }

    /// Whether the caller may see the project that the server was started for.
    pub(crate) async fn shows_start(&self, caller: &Caller) -> Result<bool, Failure> {
        if caller.projects().is_all() {
            return Ok(true);
        }
        let (projects, start) = (self.start.projects_for(caller), self.start.clone());
        Ok(self.workers.run(move || projects.sees(start.root())).await??)
    }

    /// The server's counters.
    pub(crate) fn metrics(&self) -> &Metrics {
        self.workers.metrics()
    }

    /// Tracks the HTTP requests in progress.
    pub(crate) fn in_progress(&self) -> &TaskTracker {
        &self.in_progress
    }

    /// From now on the server reports that it is not ready.
    pub(crate) fn start_draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Waits until no request is in progress, for at most `limit`.
    pub(crate) async fn drained(&self, limit: Duration) {
        self.in_progress.close();
        if tokio::time::timeout(limit, self.in_progress.wait()).await.is_err() {
            tracing::warn!(requests = self.in_progress.len(), "requests were still in progress at the end");
        }
    }

    /// The state of the open projects that the caller may see.
    pub(crate) async fn figures(&self, caller: &Caller) -> Vec<ProjectFigures> {
        let (open, projects) = (self.lock().clone(), self.start.projects_for(caller));
        let shows_all = caller.projects().is_all();
        let read = move || {
            let names = projects.roots().unwrap_or_default();
            let name =
                |root: &Path| names.iter().find(|(_, known)| *known == root).map(|(name, _)| name.clone());
            let visible = open.iter().filter_map(|open| {
                let unlisted = || shows_all.then(|| open.engine().project().name());
                Some((name(open.root()).or_else(unlisted)?, open))
            });
            visible.filter_map(|(name, open)| open.figures(name)).collect()
        };
        Workers::run_blocking_unslotted(read).await.unwrap_or_default()
    }

    /// One permit for each open event stream.
    pub(crate) fn event_slots(&self) -> &Arc<Semaphore> {
        &self.event_slots
    }

    /// One permit for each request of the REST API and each call of a tool over HTTP.
    pub(crate) fn request_slots(&self) -> &Arc<Semaphore> {
        &self.request_slots
    }

    /// The code that agents have already seen.
    pub(crate) fn shown_code(&self) -> &ShownCode {
        &self.shown_code
    }

    /// Cancelled when the server is about to stop, so that long waits end.
    pub(crate) fn shutdown(&self) -> &CancellationToken {
        self.workers.shutdown()
    }

    /// The project with a registered name, or around a path. Opens it if necessary. `from` is the caller's own project, from
    /// which relative paths are resolved.
    pub(crate) async fn project(
        &self,
        named: &str,
        from: &Arc<ServedProject>,
        caller: &Caller,
    ) -> Result<Arc<ServedProject>, Failure> {
        let project = self.locate(named, from, caller).await?;
        if let Some(open) = self.find(project.root()) {
            return Ok(open);
        }
        let projects = self.start.projects().clone();
        let engine = self.workers.run(move || projects.open(project)).await??;
        self.admit(engine)
    }

    /// Like [`Self::project`], without opening it.
    pub(crate) async fn locate(
        &self,
        named: &str,
        from: &Arc<ServedProject>,
        caller: &Caller,
    ) -> Result<Project, Failure> {
        let (projects, named, reach) = (from.projects_for(caller), named.to_owned(), caller.reach());
        Ok(self.workers.run(move || projects.locate(&named, reach)).await??)
    }

    /// The open project with this root. Marks it as recently used.
    fn find(&self, root: &Path) -> Option<Arc<ServedProject>> {
        use_open(&mut self.lock(), root)
    }

    /// Adds an engine to the open projects, and closes others if there are too many.
    fn admit(&self, engine: Arc<Engine>) -> Result<Arc<ServedProject>, Failure> {
        // The start project always stays open, so there must be room for at least one other.
        let limit = self.start.engine().config().server.open_projects.max(2);
        let mut open = self.lock();
        // Another call may have opened it in the meantime.
        if let Some(project) = use_open(&mut open, engine.project().root()) {
            return Ok(project);
        }
        while open.len() >= limit {
            let Some(place) = open.iter().position(|project| self.may_close(project)) else {
                return Err(Failure::environment(
                    format!("{} projects are open, and all of them are in use.", open.len()),
                    "Try again in a moment, stop watching one of them, or raise `server.open_projects`.",
                ));
            };
            self.close(open.remove(place));
        }
        let projects = self.start.projects();
        projects.keep(engine.clone());
        let seen_from = projects.seen_from(engine.clone());
        let project = ServedProject::start(engine, seen_from, self.workers.clone(), self.background)?;
        open.push(project.clone());
        Ok(project)
    }

    /// Whether nobody uses the project: calls hold their own reference.
    fn may_close(&self, project: &Arc<ServedProject>) -> bool {
        !Arc::ptr_eq(project, &self.start) && Arc::strong_count(project) == 1 && !project.is_needed()
    }

    /// Closes a project on a separate thread, because its current batch may take a while.
    fn close(&self, project: Arc<ServedProject>) {
        tracing::debug!(root = %project.root().display(), "a project that is not in use is closed");
        self.start.projects().release(project.root());
        std::thread::spawn(move || drop(project));
    }

    fn close_idle(&self) {
        let idle_time = Duration::from_secs(self.start.engine().config().server.idle_secs);
        let mut open = self.lock();
        let is_idle =
            |project: &Arc<ServedProject>| self.may_close(project) && project.idle_time() >= idle_time;
        let (idle, used): (Vec<_>, Vec<_>) = open.drain(..).partition(is_idle);
        *open = used;
        open.iter().for_each(|project| project.engine().forget_unused_structure(STRUCTURE_STAYS));
        drop(open);
        for project in idle {
            self.close(project);
        }
        self.start.projects().close_idle(idle_time);
    }

    /// Lists the registered projects that the caller may see, with `from` as the current one, and which of them are open.
    pub(crate) async fn list(
        &self,
        from: &Arc<ServedProject>,
        caller: &Caller,
    ) -> Result<ProjectsResponse, Failure> {
        let projects = from.projects_for(caller);
        let mut response = self.workers.run(move || projects.list()).await??;
        let open: Vec<String> = self.lock().iter().map(|open| open.root().display().to_string()).collect();
        for project in &mut response.projects {
            project.open = open.contains(&project.root);
        }
        Ok(response)
    }

    /// Deletes the index of a project, closes it and returns its root. Requires that the caller named the project, so that no
    /// index is deleted by mistake.
    pub(crate) async fn remove(
        &self,
        project: Arc<ServedProject>,
        is_named: bool,
    ) -> Result<String, Failure> {
        if !is_named {
            return Err(Failure::user("Name the project whose index is to be removed, as `project`.", None));
        }
        project.remove().await?;
        if !Arc::ptr_eq(&project, &self.start) {
            self.lock().retain(|open| !Arc::ptr_eq(open, &project));
            self.start.projects().release(project.root());
        }
        Ok(project.root().display().to_string())
    }

    /// Stops background work. Waits at most [`STOP_TIMEOUT`] for it.
    pub(crate) fn stop(&self) {
        self.shutdown().cancel();
        let (done, ended) = std::sync::mpsc::channel();
        let open: Vec<Arc<ServedProject>> = self.lock().drain(..).collect();
        let deadline = Instant::now() + STOP_TIMEOUT;
        for project in &open {
            let (project, done) = (project.clone(), done.clone());
            std::thread::spawn(move || {
                project.stop();
                // The receiver is gone if the timeout came first.
                let _ = done.send(());
            });
        }
        for _ in &open {
            if ended.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_err() {
                tracing::debug!("background work did not stop in time");
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<ServedProject>>> {
        lock(&self.open)
    }
}

/// Finds an open project and moves it to the end, as the most recently used one.
fn use_open(open: &mut Vec<Arc<ServedProject>>, root: &Path) -> Option<Arc<ServedProject>> {
    let place = open.iter().position(|project| project.root() == root)?;
    let project = open.remove(place);
    project.touch();
    open.push(project.clone());
    Some(project)
}

async fn close_idle_projects(backend: Weak<Backend>, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(IDLE_CHECK) => {}
            () = shutdown.cancelled() => return,
        }
        match backend.upgrade() {
            Some(backend) => backend.close_idle(),
            None => return,
        }
    }
}
