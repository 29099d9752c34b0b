//! Engines of other projects, opened when they are first asked and kept while they are in use; and the asking itself, each
//! project on a thread of its own, all with the same deadline.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use vectorcode_core::config::{self, Override, Sources};

use crate::registry::ProjectEntry;
use crate::{Engine, EngineError, EngineOptions, Project};

/// Engines that stay open. Each holds its index in memory once it was searched.
const MAX_OPEN: usize = 8;
/// Requests to one project that may be under way at a time. When there are more, the project hangs.
const MAX_WAITING: usize = 8;

/// Why a project did not answer.
#[derive(Debug)]
pub(super) enum ProjectFailure {
    Gone,
    NotIndexed,
    Late(Duration),
    /// Too many earlier requests are still under way.
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
            Self::Panicked => f.write_str("the search crashed; this is a bug of vectorcode"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

/// An engine that a search has opened.
#[derive(Debug)]
struct OpenEngine {
    engine: Arc<Engine>,
    used_at: Instant,
}

/// What all threads share.
pub(super) struct Pool {
    options: EngineOptions,
    /// The least recently used first.
    open: Mutex<Vec<OpenEngine>>,
    /// Engines that the caller brought; they are never closed.
    kept: Mutex<Vec<Arc<Engine>>>,
    waiting: Mutex<HashMap<PathBuf, usize>>,
}

impl Pool {
    pub(super) fn new(options: EngineOptions) -> Self {
        Self { options, open: Mutex::default(), kept: Mutex::default(), waiting: Mutex::default() }
    }

    /// Uses this engine for its project.
    pub(super) fn keep(&self, engine: Arc<Engine>) {
        self.release(engine.project().root());
        lock(&self.kept).push(engine);
    }

    /// Lets go of every engine of this project.
    pub(super) fn release(&self, root: &Path) {
        lock(&self.kept).retain(|engine| engine.project().root() != root);
        self.close(root);
    }

    /// Closes what no search has asked for so long.
    pub(super) fn close_idle(&self, idle_time: Duration) {
        lock(&self.open).retain(|open| open.used_at.elapsed() < idle_time);
    }

    /// Asks all the same, and returns the answers in their order. A project that misses the deadline is not waited for: its
    /// thread ends when its answer is there, which is dropped.
    pub(super) fn ask_all<T: Send + 'static>(
        self: &Arc<Self>,
        entries: &[ProjectEntry],
        deadline: Duration,
        question: impl Fn(&Engine) -> Result<T, EngineError> + Send + Sync + 'static,
    ) -> Vec<Result<T, ProjectFailure>> {
        let until = Instant::now() + deadline;
        let question = Arc::new(question);
        let (sender, answers) = channel();
        let mut found: Vec<Option<Result<T, ProjectFailure>>> = Vec::new();
        for (place, entry) in entries.iter().enumerate() {
            found.push(self.spawn(place, &entry.root, sender.clone(), question.clone()).err().map(Err));
        }
        drop(sender);
        let ended = loop {
            match answers.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok((place, answer)) => found[place] = Some(answer),
                Err(ended) => break ended,
            }
        };
        let missing = || match ended {
            RecvTimeoutError::Timeout => ProjectFailure::Late(deadline),
            // Every thread has ended, and one of them without an answer.
            RecvTimeoutError::Disconnected => ProjectFailure::Panicked,
        };
        found.into_iter().map(|answer| answer.unwrap_or_else(|| Err(missing()))).collect()
    }

    fn spawn<T: Send + 'static>(
        self: &Arc<Self>,
        place: usize,
        root: &Path,
        sender: Sender<(usize, Result<T, ProjectFailure>)>,
        question: Arc<impl Fn(&Engine) -> Result<T, EngineError> + Send + Sync + 'static>,
    ) -> Result<(), ProjectFailure> {
        let slot = Slot::take(self, root)?;
        let asked = std::thread::Builder::new().name("project".into()).spawn(move || {
            let answer = slot
                .pool
                .engine(&slot.root)
                .and_then(|engine| question(&engine).map_err(ProjectFailure::Failed));
            // The receiver is gone when the deadline has passed.
            let _ = sender.send((place, answer));
        });
        asked
            .map(|_thread| ())
            .map_err(|error| ProjectFailure::Failed(EngineError::io("start a thread for", root)(error)))
    }

    fn engine(&self, root: &Path) -> Result<Arc<Engine>, ProjectFailure> {
        if !root.is_dir() {
            self.close(root);
            return Err(ProjectFailure::Gone);
        }
        let engine = self.opened(root).map_err(ProjectFailure::Failed)?;
        if !engine.is_indexed() {
            return Err(ProjectFailure::NotIndexed);
        }
        Ok(engine)
    }

    fn opened(&self, root: &Path) -> Result<Arc<Engine>, EngineError> {
        let is_meant = |engine: &Engine| engine.project().root() == root;
        if let Some(kept) = lock(&self.kept).iter().find(|engine| is_meant(engine)) {
            return Ok(kept.clone());
        }
        let known =
            lock(&self.open).iter().find(|open| is_meant(&open.engine)).map(|open| open.engine.clone());
        // Opened without the lock: a disk that hangs must not hold up the other projects.
        let engine = match known {
            Some(engine) => engine,
            None => Arc::new(self.open(Project::at(root)?)?),
        };
        // No watcher follows the settings of other projects.
        engine.follow_settings();
        let mut open = lock(&self.open);
        // Another thread may have been faster; its engine is the one to use.
        let faster = open.iter().position(|open| is_meant(&open.engine)).map(|place| open.remove(place));
        let engine = faster.map_or(engine, |open| open.engine);
        open.push(OpenEngine { engine: engine.clone(), used_at: Instant::now() });
        if open.len() > MAX_OPEN {
            open.remove(0);
        }
        Ok(engine)
    }

    fn close(&self, root: &Path) {
        lock(&self.open).retain(|open| open.engine.project().root() != root);
    }

    /// With the settings that the project would have in its own terminal. How a server watches was said for all of them.
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

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("open", &self.open).field("kept", &self.kept).finish_non_exhaustive()
    }
}

/// One of the [`MAX_WAITING`] slots of a project, held by a thread and freed when the thread ends, even by a panic.
struct Slot {
    pool: Arc<Pool>,
    root: PathBuf,
}

impl Slot {
    fn take(pool: &Arc<Pool>, root: &Path) -> Result<Self, ProjectFailure> {
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
