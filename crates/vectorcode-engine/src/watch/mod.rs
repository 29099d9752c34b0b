//! Keeping the index true while a server runs: catch up with the disk, embed what is pending, watch for changes.
//!
//! Any number of processes may serve a project; the one that holds `.vectorcode/watch.lock` does this work.
//! The lock is the operating system's, so it is free the moment its holder ends, and another takes over.

mod changes;
mod watcher;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use vectorcode_core::api::IndexRequest;
use vectorcode_core::{CancelToken, Diagnose, SilentProgress};
use vectorcode_store::{StoreError, WriterLock};

use crate::engine::WhenLocked;
use crate::{Engine, EngineError, Project};
use changes::{Changes, Collector};
use watcher::TreeWatcher;

const LOCK_NAME: &str = "watch.lock";
/// How soon a waiting process notices that the watching one has ended.
const TAKEOVER_POLL: Duration = Duration::from_secs(1);
/// Stage two gives the writer lock back this often, so that other writers get their turn.
const EMBED_SLICE: Duration = Duration::from_secs(2);
/// After a failure the next try waits, longer each time.
const RETRY_FIRST: Duration = Duration::from_secs(2);
const RETRY_LONGEST: Duration = Duration::from_mins(5);

/// How a [`Keeper`] works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeeperOptions {
    /// Follow changes after catching up.
    pub watch: bool,
    /// Quiet time after the last change before it is taken up.
    pub debounce: Duration,
    /// Make the index where there is none.
    pub create: bool,
}

/// A background thread that keeps one project's index true. Stops when dropped.
#[derive(Debug)]
pub struct Keeper {
    stop: CancelToken,
    collector: Arc<Collector>,
    caught_up: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    pub fn start(engine: Arc<Engine>, options: KeeperOptions) -> Result<Self, EngineError> {
        let stop = CancelToken::default();
        let collector = Arc::new(Collector::default());
        let caught_up = Arc::new(AtomicBool::new(false));
        let shift = Shift {
            engine,
            options,
            stop: stop.clone(),
            collector: collector.clone(),
            caught_up: caught_up.clone(),
        };
        let thread = std::thread::Builder::new()
            .name("keeper".into())
            .spawn(move || shift.wait_for_turn())
            .map_err(EngineError::io("start the keeper thread for", "."))?;
        Ok(Self { stop, collector, caught_up, thread: Some(thread) })
    }

    /// Whether what changed before the start is in the index, or will not be by this keeper's work: another process
    /// does it, there is no index to keep, or it failed.
    pub fn has_caught_up(&self) -> bool {
        self.caught_up.load(Ordering::Relaxed)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.stop.cancel();
        self.collector.wake();
        if let Some(thread) = self.thread.take() {
            // A panic of the keeper was already printed by its thread.
            let _ = thread.join();
        }
    }
}

/// True when some process keeps this project's index up to date.
pub(crate) fn is_watched(project: &Project) -> bool {
    WriterLock::is_held(&project.directory(), LOCK_NAME)
}

/// The keeper's thread.
struct Shift {
    engine: Arc<Engine>,
    options: KeeperOptions,
    stop: CancelToken,
    collector: Arc<Collector>,
    caught_up: Arc<AtomicBool>,
}

impl Shift {
    fn wait_for_turn(&self) {
        while !self.stop.is_cancelled() {
            let has_work = self.options.create || self.engine.project().is_indexed();
            let pause = match has_work.then(|| self.take_watch()) {
                Some(Ok(_lock)) => return self.keep(),
                None | Some(Err(EngineError::Store(StoreError::Locked { .. }))) => TAKEOVER_POLL,
                Some(Err(error)) => {
                    self.failed(&error);
                    RETRY_FIRST
                }
            };
            self.caught_up.store(true, Ordering::Relaxed);
            self.collector.pause(pause);
        }
    }

    fn take_watch(&self) -> Result<WriterLock, EngineError> {
        self.engine.create_directory()?;
        Ok(WriterLock::acquire_named(&self.engine.project().directory(), LOCK_NAME)?)
    }

    /// Says it where people look: in the log, and in the notes of searches.
    fn failed(&self, error: &EngineError) {
        self.engine.set_background_error(Some(error.to_string()));
        tracing::warn!(%error, hint = error.hint(), "the index could not be brought up to date");
    }

    /// Holds the watch: everything that changed so far first, then change by change.
    fn keep(&self) {
        let mut watcher = self.options.watch.then(|| self.watch_tree()).flatten();
        self.collector.add_everything();
        let mut retry = RETRY_FIRST;
        while !self.stop.is_cancelled() {
            let done = self.next_task(watcher.as_mut());
            self.caught_up.store(true, Ordering::Relaxed);
            match done {
                Ok(()) => retry = RETRY_FIRST,
                Err(error) => {
                    self.failed(&error);
                    self.collector.pause(retry);
                    retry = (retry * 2).min(RETRY_LONGEST);
                }
            }
        }
    }

    fn watch_tree(&self) -> Option<TreeWatcher> {
        TreeWatcher::start(&self.engine, &self.collector)
            .inspect_err(|error| tracing::warn!(%error, "changes are not watched"))
            .ok()
    }

    /// Changes go before embedding, because a stale answer is worse than one without stage two.
    fn next_task(&self, watcher: Option<&mut TreeWatcher>) -> Result<(), EngineError> {
        match self.collector.take_quiet(self.options.debounce) {
            Changes::None if self.engine.has_pending_vectors()? => self.embed_for_a_while(),
            Changes::None => {
                self.engine.set_background_error(None);
                self.collector.wait();
                Ok(())
            }
            changes => self.sync(&changes, watcher).inspect_err(|_| self.collector.put_back(&changes)),
        }
    }

    fn sync(&self, changes: &Changes, watcher: Option<&mut TreeWatcher>) -> Result<(), EngineError> {
        // Watch new directories before they are read, so that nothing falls between.
        if let Some(watcher) = watcher {
            watcher.follow(changes, &self.engine)?;
        }
        let paths = match changes {
            Changes::Paths(paths) => paths.iter().cloned().collect(),
            Changes::None | Changes::Everything => Vec::new(),
        };
        let request = IndexRequest { full: false, paths, stage_one_only: true };
        self.engine.index(&request, WhenLocked::Wait, &SilentProgress, &self.stop)?;
        Ok(())
    }

    fn embed_for_a_while(&self) -> Result<(), EngineError> {
        let slice = self.collector.token_until_change(EMBED_SLICE, &self.stop);
        self.engine.embed_pending(&slice)
    }
}
