//! Keeps the engines of other projects, opened on first use and closed when they exceed the memory limit, and queries
//! several of them in parallel with one deadline.

use std::cmp::Reverse;
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use vectorcode_core::config::{self, Override, Sources};
use vectorcode_core::lock;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::project::Project;
use crate::settings::EngineOptions;

/// Memory limit for all open engines. 60 projects with a million chunks take about half of it.
const MAX_OPEN_BYTES: usize = 1024 * 1024 * 1024;
/// Each engine keeps some files open, and many systems allow a process only 1,024.
const MAX_OPEN: usize = 128;
/// Requests to one project that may be in progress at a time. When there are more, the project hangs.
const MAX_WAITING: usize = 8;
/// If no project has answered for this long, one more is queried in parallel: whatever is blocking the others may not
/// block this one.
const PATIENCE: Duration = Duration::from_millis(100);

/// Why a project did not answer.
#[derive(Debug)]
pub(super) enum ProjectFailure {
    Gone,
    NotIndexed,
    Late(Duration),
    /// Too many earlier requests are still in progress.
    Busy,
    Panicked,
    Failed(EngineError),
}

impl std::fmt::Display for ProjectFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gone => f.write_str("its folder is no longer there"),
            Self::NotIndexed => f.write_str("it has no index; run `vectorcode index` in it"),
            Self::Late(deadline) => write!(f, "it did not answer within {} s", deadline.as_secs_f32()),
            Self::Busy => f.write_str("it is still busy with earlier requests"),
            Self::Panicked => f.write_str("the search crashed; this is a bug in vectorcode"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl From<EngineError> for ProjectFailure {
    fn from(error: EngineError) -> Self {
        if error.is_not_initialized() { Self::NotIndexed } else { Self::Failed(error) }
    }
}

/// An engine that was opened for a search.
#[derive(Debug)]
struct OpenEngine {
    engine: Arc<Engine>,
    used_at: Instant,
}

/// The state that all threads share.
pub(super) struct EnginePool {
    options: EngineOptions,
    open: Mutex<Vec<OpenEngine>>,
    /// Engines that the caller passed in; they are never closed.
    kept: Mutex<Vec<Arc<Engine>>>,
    waiting: Mutex<HashMap<PathBuf, usize>>,
}

impl EnginePool {
    pub(super) fn new(options: EngineOptions) -> Self {
        Self { options, open: Mutex::default(), kept: Mutex::default(), waiting: Mutex::default() }
    }

    /// Uses this engine for its project.
    pub(super) fn keep(&self, engine: Arc<Engine>) {
        self.release(engine.project().root());
        lock(&self.kept).push(engine);
    }

    /// Drops every engine of this project.
    pub(super) fn release(&self, root: &Path) {
        lock(&self.kept).retain(|engine| engine.project().root() != root);
        self.close(root);
    }

    /// Closes engines that no search has used for `idle_time`.
    pub(super) fn close_idle(&self, idle_time: Duration) {
        lock(&self.open).retain(|open| open.used_at.elapsed() < idle_time);
    }

    /// Queries the projects with these roots, each with its own input, and returns the results in the same order. A
    /// project that misses the deadline is not waited for: its thread runs to the end, and the result is dropped.
    pub(super) fn ask_all<Q: Send + 'static, T: Send + 'static>(
        self: &Arc<Self>,
        asked: Vec<(PathBuf, Q)>,
        deadline: Duration,
        question: impl Fn(&Engine, Q) -> Result<T, EngineError> + Send + Sync + 'static,
    ) -> Vec<Result<T, ProjectFailure>> {
        let count = asked.len();
        let mut queue: Vec<(usize, (PathBuf, Q))> = asked.into_iter().enumerate().collect();
        // The largest first: starting one of them last would keep everyone waiting.
        let sizes = self.sizes();
        queue.sort_by_key(|(_, (root, _))| Reverse(sizes.get(root).copied()));
        let query = Arc::new(ParallelQuery { pool: self.clone(), queue: Mutex::new(queue.into()), question });
        let (sender, answers) = channel();
        for _ in 0..threads().min(count) {
            query.start_thread(&sender);
        }
        let found = query.collect(count, deadline, &sender, &answers);
        self.make_room();
        found.into_iter().map(|answer| answer.unwrap_or(Err(ProjectFailure::Late(deadline)))).collect()
    }

    /// The memory taken by each open engine.
    fn sizes(&self) -> HashMap<PathBuf, usize> {
        let open: Vec<Arc<Engine>> = lock(&self.open).iter().map(|open| open.engine.clone()).collect();
        let kept = lock(&self.kept).clone();
        let size = |engine: Arc<Engine>| (engine.project().root().to_path_buf(), engine.memory_bytes());
        open.into_iter().chain(kept).map(size).collect()
    }

    fn engine(&self, root: &Path) -> Result<Arc<Engine>, ProjectFailure> {
        if !root.is_dir() {
            self.close(root);
            return Err(ProjectFailure::Gone);
        }
        Ok(self.opened(root)?)
    }

    fn opened(&self, root: &Path) -> Result<Arc<Engine>, EngineError> {
        let is_meant = |engine: &Engine| engine.project().root() == root;
        if let Some(kept) = lock(&self.kept).iter().find(|engine| is_meant(engine)) {
            return Ok(kept.clone());
        }
        let known =
            lock(&self.open).iter().find(|open| is_meant(&open.engine)).map(|open| open.engine.clone());
        // Opened without holding the lock: a hanging disk must not block the other projects.
        let engine = match known {
            Some(engine) => engine,
            None => Arc::new(self.open(Project::at(root)?)?),
        };
        // No watcher reloads the settings of other projects.
        engine.follow_settings();
        let mut open = lock(&self.open);
        // If another thread was faster, its engine is used.
        let faster = open.iter().position(|open| is_meant(&open.engine)).map(|place| open.remove(place));
        let engine = faster.map_or(engine, |open| open.engine);
        open.push(OpenEngine { engine: engine.clone(), used_at: Instant::now() });
        Ok(engine)
    }

    /// Brings the open engines within the memory limit. First the largest ones drop what they cached for earlier
    /// requests; what every request reads would cost more to load again. If that is not enough, engines are closed at
    /// random. A search of all projects uses each in turn, so the least recently used one would be needed next.
    fn make_room(&self) {
        let engines: Vec<Arc<Engine>> = lock(&self.open).iter().map(|open| open.engine.clone()).collect();
        let mut sizes: Vec<(usize, Arc<Engine>)> =
            engines.into_iter().map(|engine| (engine.memory_bytes(), engine)).collect();
        sizes.sort_by_key(|(bytes, _)| Reverse(*bytes));
        let mut all: usize = sizes.iter().map(|(bytes, _)| bytes).sum();
        for (bytes, engine) in &mut sizes {
            if all <= MAX_OPEN_BYTES {
                break;
            }
            engine.shrink();
            all -= std::mem::replace(bytes, engine.memory_bytes());
            all += *bytes;
        }
        while sizes.len() > MAX_OPEN || all > MAX_OPEN_BYTES {
            let place = RandomState::new().hash_one(sizes.len()) as usize % sizes.len();
            let (bytes, engine) = sizes.swap_remove(place);
            self.close(engine.project().root());
            all -= bytes;
        }
    }

    fn close(&self, root: &Path) {
        lock(&self.open).retain(|open| open.engine.project().root() != root);
    }

    /// Uses the settings that the project would have in its own terminal, except that command line overrides of the
    /// watcher apply to all projects of a server.
    pub(super) fn open(&self, project: Project) -> Result<Engine, EngineError> {
        let of_watcher = |setting: &&Override| setting.key.split('.').next() == Some("watcher");
        let settings = Sources {
            project_file: Some(project.config_file()),
            overrides: self.options.settings.overrides.iter().filter(of_watcher).cloned().collect(),
            ..self.options.settings.clone()
        };
        let resolved = config::load(&settings)?;
        Ok(Engine::new(project, resolved, EngineOptions { settings, ..self.options.clone() }))
    }
}

impl std::fmt::Debug for EnginePool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EnginePool")
            .field("open", &self.open)
            .field("kept", &self.kept)
            .finish_non_exhaustive()
    }
}

/// How many projects are queried at the same time: one per core but at least four, because they also wait for disks
/// and databases.
fn threads() -> usize {
    const MIN_THREADS: usize = 4;
    std::thread::available_parallelism().map_or(1, usize::from).max(MIN_THREADS)
}

/// One request to several projects.
struct ParallelQuery<Q, F> {
    pool: Arc<EnginePool>,
    /// Projects not queried yet, with their positions in the results.
    queue: Mutex<VecDeque<(usize, (PathBuf, Q))>>,
    question: F,
}

/// The result of a project, and its position.
type Answered<T> = (usize, Result<T, ProjectFailure>);

impl<Q: Send + 'static, F: Send + Sync + 'static> ParallelQuery<Q, F> {
    /// Starts a thread that queries one project after another until none is left or the receiver is gone. If the
    /// thread cannot be started, the others do the work.
    fn start_thread<T: Send + 'static>(self: &Arc<Self>, sender: &Sender<Answered<T>>)
    where
        F: Fn(&Engine, Q) -> Result<T, EngineError>,
    {
        let (query, sender) = (self.clone(), sender.clone());
        let thread = std::thread::Builder::new().name("project".into()).spawn(move || {
            while let Some((place, (root, asked))) = query.next()
                && sender.send((place, query.ask(&root, asked))).is_ok()
            {}
        });
        if let Err(error) = thread {
            tracing::warn!(%error, "a thread for asking projects could not be started");
        }
    }

    fn next(&self) -> Option<(usize, (PathBuf, Q))> {
        lock(&self.queue).pop_front()
    }

    fn ask<T>(&self, root: &Path, asked: Q) -> Result<T, ProjectFailure>
    where
        F: Fn(&Engine, Q) -> Result<T, EngineError>,
    {
        let _slot = Slot::take(&self.pool, root)?;
        let engine = self.pool.engine(root)?;
        // The engine's mutexes recover from a panic, as they do when any other thread panics.
        let answer = catch_unwind(AssertUnwindSafe(|| (self.question)(&engine, asked)));
        Ok(answer.map_err(|_| ProjectFailure::Panicked)??)
    }

    /// Collects the results that arrive before the deadline.
    fn collect<T: Send + 'static>(
        self: &Arc<Self>,
        count: usize,
        deadline: Duration,
        sender: &Sender<Answered<T>>,
        answers: &Receiver<Answered<T>>,
    ) -> Vec<Option<Result<T, ProjectFailure>>>
    where
        F: Fn(&Engine, Q) -> Result<T, EngineError>,
    {
        let until = Instant::now() + deadline;
        let mut found: Vec<Option<Result<T, ProjectFailure>>> = Vec::new();
        found.resize_with(count, || None);
        let mut missing = count;
        while missing > 0 {
            let left = until.saturating_duration_since(Instant::now());
            match answers.recv_timeout(left.min(PATIENCE)) {
                Ok((place, answer)) => {
                    found[place] = Some(answer);
                    missing -= 1;
                }
                Err(RecvTimeoutError::Timeout) if left > PATIENCE => {
                    if !lock(&self.queue).is_empty() {
                        self.start_thread(sender);
                    }
                }
                Err(_) => break,
            }
        }
        // Keeps threads that are still busy from starting another project.
        lock(&self.queue).clear();
        found
    }
}

/// One of the [`MAX_WAITING`] slots of a project, held by a thread and released when the thread ends, even by a
/// panic.
struct Slot {
    pool: Arc<EnginePool>,
    root: PathBuf,
}

impl Slot {
    fn take(pool: &Arc<EnginePool>, root: &Path) -> Result<Self, ProjectFailure> {
        let mut waiting = lock(&pool.waiting);
        let count = waiting.entry(root.to_path_buf()).or_default();
        if *count >= MAX_WAITING {
            return Err(ProjectFailure::Busy);
        }
        *count += 1;
        Ok(Self { pool: pool.clone(), root: root.to_path_buf() })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut waiting = lock(&self.pool.waiting);
        if let Some(count) = waiting.get_mut(&self.root) {
            *count -= 1;
            if *count == 0 {
                waiting.remove(&self.root);
            }
        }
    }
}
