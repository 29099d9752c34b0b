//! Keeps the index up to date while a server runs: catches up with the disk, embeds pending chunks, watches for
//! changes.
//!
//! Any number of processes may serve a project; the one that holds `.vectorcode/watch.lock` does this work. The lock
//! belongs to the operating system, so it is released as soon as its holder ends, and another process takes over. A
//! keeper configured not to watch works without the lock: it catches up and embeds, but does not follow changes.
//!
//! Callers can pause the work and resume it. When the index is being deleted or is gone, the keeper closes it
//! and ends.

mod watcher;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::WatcherConfig;
use vectorcode_core::{CancelToken, Diagnose, SilentProgress, shared_file_system};
use vectorcode_store::{LockGuard, LockRole, WhenHeld};

use crate::activity::WorkGuard;
use crate::activity::{ChangeFeed, Changes};
use crate::engine::LOCK_HANDOVER_TIME;
use crate::engine::ProviderChange;
use crate::engine::{Engine, WhenLocked};
use crate::error::EngineError;
use crate::history::HistoryPass;
use crate::settings::Settings;
use watcher::TreeWatcher;

/// How often an idle keeper checks the settings, and a waiting one the lock.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often to check whether another process wants to delete the index.
const REMOVAL_CHECK: Duration = Duration::from_millis(500);
/// Stage two is interrupted this often, so that other processes that want to embed get the lock.
const EMBED_SLICE: Duration = Duration::from_secs(2);
/// The history is read for this long at a time, so that file changes are indexed in between.
const HISTORY_SLICE: Duration = Duration::from_millis(500);
/// The structure of files whose words have all been read is also read in slices, so that searches and other processes
/// can write in between. Each slice walks the tree.
const STRUCTURE_SLICE: Duration = Duration::from_secs(2);
/// How often the tree is scanned if the system refuses to watch it or would not report all changes.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Windows drops events when many arrive at once, and `notify` does not report that. A scan at this interval finds
/// what was missed.
const SCAN_DESPITE_EVENTS: Option<Duration> =
    if cfg!(windows) { Some(Duration::from_secs(30)) } else { None };
/// The pause between scans is at least this many times as long as a scan takes, so that polling a large tree takes no
/// more than a twentieth of one core.
const PAUSE_PER_SCAN: u32 = 20;
/// Retries after a failure: the pause doubles from the first value up to the longest.
const FIRST_RETRY: Duration = Duration::from_secs(2);
const LONGEST_RETRY: Duration = Duration::from_mins(5);

/// A background thread that keeps one project's index up to date, as configured. Stops when dropped.
#[derive(Debug)]
pub struct Keeper {
    shared: KeeperThread,
    threads: Vec<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the threads. They check for themselves whether there is an index: a database may not respond for a
    /// while.
    pub fn start(engine: Arc<Engine>) -> Result<Self, EngineError> {
        engine.watch_state().set_paused(false);
        engine.watch_state().set_removed(false);
        let shared = KeeperThread {
            engine,
            stop: CancelToken::default(),
            feed: Arc::default(),
            caught_up: Arc::default(),
            had_index: Arc::default(),
        };
        let mut keeper = Self { shared: shared.clone(), threads: Vec::new() };
        keeper.spawn("keeper", KeeperThread::run)?;
        keeper.spawn("removal", KeeperThread::end_on_removal)?;
        Ok(keeper)
    }

    fn spawn(&mut self, name: &str, work: fn(&KeeperThread)) -> Result<(), EngineError> {
        let shared = self.shared.clone();
        let spawned = std::thread::Builder::new().name(name.into()).spawn(move || work(&shared));
        self.threads.push(spawned.map_err(EngineError::io("start the keeper's threads for", "."))?);
        Ok(())
    }

    /// Stops the current work and starts no other until it is resumed. Only edited files are still indexed, if the
    /// index is complete.
    pub fn pause(&self) {
        self.shared.engine.watch_state().set_paused(true);
        self.shared.engine.cancel_work();
    }

    pub fn resume(&self) {
        self.shared.engine.watch_state().set_paused(false);
        self.shared.feed.wake();
    }

    /// Whether the index was deleted and this keeper has ended because of it.
    pub fn has_ended(&self) -> bool {
        self.shared.feed.is_closed()
    }

    /// Whether everything that changed before the start is in the index, or this keeper will not put it there:
    /// another process does the work, there is no index, or the update failed.
    pub fn has_caught_up(&self) -> bool {
        self.shared.caught_up.load(Ordering::Relaxed)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.shared.end();
        for thread in self.threads.drain(..) {
            // The thread has already printed its panic.
            let _ = thread.join();
        }
    }
}

/// What the keeper's threads share.
#[derive(Clone, Debug)]
struct KeeperThread {
    engine: Arc<Engine>,
    stop: CancelToken,
    feed: Arc<ChangeFeed>,
    caught_up: Arc<AtomicBool>,
    /// Whether there has been an index: if it is missing now, somebody deleted it.
    had_index: Arc<AtomicBool>,
}

impl KeeperThread {
    /// Watches until the keeper stops.
    fn run(&self) {
        while !self.stop.is_cancelled() {
            let pause = catch_unwind(AssertUnwindSafe(|| self.watch())).unwrap_or_else(|_| {
                self.engine.watch_state().set_error(Some("a bug in vectorcode, see its log".into()));
                // It is likely to happen again.
                Some(LONGEST_RETRY)
            });
            if let Some(pause) = pause {
                self.caught_up.store(true, Ordering::Relaxed);
                self.feed.pause(pause);
            }
        }
    }

    /// Watches if there is something to watch and the lock is free. Otherwise returns how long to wait before trying
    /// again.
    fn watch(&self) -> Option<Duration> {
        self.engine.follow_settings();
        match self.has_work().then(|| self.acquire_lock()) {
            Some(Ok(lock)) => {
                WatchSession::start(self, lock).run();
                None
            }
            None => Some(CHECK_INTERVAL),
            Some(Err(error)) if error.is_locked() => Some(CHECK_INTERVAL),
            Some(Err(error)) => {
                self.report(&error);
                Some(FIRST_RETRY)
            }
        }
    }

    fn end(&self) {
        self.stop.cancel();
        self.feed.close();
    }

    /// Closes an index that is being deleted or already gone, and ends.
    fn end_on_removal(&self) {
        let mut was_gone = false;
        while !self.feed.is_closed() {
            let is_gone = self.index_is_gone();
            // Checked twice: a damaged index is missing for the moment in which a new one takes its place.
            if self.engine.is_being_removed() || (is_gone && was_gone) {
                self.end();
                self.engine.close_index();
                return;
            }
            was_gone = is_gone;
            self.feed.pause(REMOVAL_CHECK);
        }
    }

    fn index_is_gone(&self) -> bool {
        let is_indexed = self.engine.is_indexed();
        let had_index = self.had_index.fetch_or(is_indexed, Ordering::Relaxed);
        had_index && !is_indexed
    }

    /// Whether there is an index to keep up to date, or one to build. A home directory, a whole disk or a large
    /// folder that is not a project is not even watched unless the user asked for it; without an index, every
    /// response says so.
    fn has_work(&self) -> bool {
        let engine = &self.engine;
        if self.index_is_gone() || engine.is_being_removed() {
            return false;
        }
        match engine.check_first_index(&self.stop) {
            Ok(()) => engine.config().indexing.auto_index || engine.is_indexed(),
            Err(error) => {
                engine.watch_state().set_error(Some(error.to_string()));
                false
            }
        }
    }

    /// The watch lock; `None` if watching is disabled.
    fn acquire_lock(&self) -> Result<Option<Box<dyn LockGuard>>, EngineError> {
        self.engine.project().create_directory()?;
        if self.engine.config().watcher.disabled {
            return Ok(None);
        }
        Ok(Some(self.engine.store().lock(LockRole::Watch, WhenHeld::Fail)?))
    }

    /// Reports a failure in the log, and in the notes of searches and status until an update succeeds.
    fn report(&self, error: &EngineError) {
        self.engine.watch_state().set_error(Some(error.to_string()));
        tracing::warn!(%error, hint = error.hint(), "the index could not be updated");
    }

    /// A separate token for each task, so that cancelling one does not stop the keeper.
    fn task_token(&self) -> CancelToken {
        self.feed.task_token(&self.stop)
    }

    /// Registers a task, unless work is paused. The task is registered before the check, so that a concurrent pause
    /// either cancels the task or is seen by it.
    fn begin(&self, token: &CancelToken) -> Option<WorkGuard<'_>> {
        let work = self.engine.running().enter(token);
        (!self.engine.is_paused()).then_some(work)
    }

    fn start_watching(&self, settings: &WatcherConfig) -> Watching {
        if settings.disabled {
            return Watching::No;
        }
        if let Some(seconds) = settings.poll_secs {
            return Watching::Polls(Duration::from_secs(seconds));
        }
        if shared_file_system(self.engine.project().root()).is_some() {
            return Watching::Polls(POLL_INTERVAL);
        }
        TreeWatcher::start(&self.engine, &self.feed)
            .map_or_else(|error| Watching::without_events(&error), Watching::Events)
    }
}

/// How changes in the tree are noticed.
enum Watching {
    No,
    Events(TreeWatcher),
    /// The tree is compared with the index at this interval.
    Polls(Duration),
}

impl Watching {
    /// Falls back to polling when the system refuses to watch the tree.
    fn without_events(error: &EngineError) -> Self {
        tracing::warn!(%error, "file events are not available; the project is scanned every {POLL_INTERVAL:?} instead");
        Self::Polls(POLL_INTERVAL)
    }
}

/// The work of the process that holds the watch lock, or of one that does not watch.
struct WatchSession<'t> {
    thread: &'t KeeperThread,
    /// The watch lock; `None` if watching is disabled.
    lock: Option<Box<dyn LockGuard>>,
    /// The settings that were last applied.
    settings: Arc<Settings>,
    watching: Watching,
    /// When the tree was last compared with the index, and how long that took.
    last_scan: Instant,
    last_scan_took: Duration,
    /// Set if the configured provider is not the one that made the vectors.
    new_provider: Option<ProviderChange>,
    /// There may be commits that the index does not have.
    has_new_commits: bool,
}

impl<'t> WatchSession<'t> {
    fn start(thread: &'t KeeperThread, lock: Option<Box<dyn LockGuard>>) -> Self {
        let settings = thread.engine.settings();
        let watching = thread.start_watching(&settings.config.watcher);
        let session = Self {
            thread,
            lock,
            settings,
            watching,
            last_scan: Instant::now(),
            last_scan_took: Duration::ZERO,
            // The provider may have changed while no process was watching.
            new_provider: thread.engine.has_other_vectors().unwrap_or(false).then(ProviderChange::default),
            has_new_commits: true,
        };
        session.rescan();
        session
    }

    /// Handles everything that changed while no process was watching, then change by change. Returns when the keeper
    /// stops, when the index is gone, when the settings turn watching on or off, which decides about the lock, and
    /// when the lock was lost: another process may be watching by now, and a database standby that was promoted may
    /// lack the last writes.
    fn run(mut self) {
        let mut retry = FIRST_RETRY;
        let is_watching = !self.settings.config.watcher.disabled;
        while !self.thread.stop.is_cancelled() && !self.thread.index_is_gone() {
            self.apply_settings();
            if self.settings.config.watcher.disabled == is_watching || self.has_lost_lock() {
                return;
            }
            let done =
                if self.thread.engine.is_paused() { self.follow_edits() } else { self.run_next_task() };
            self.thread.caught_up.store(true, Ordering::Relaxed);
            match done {
                Ok(()) => retry = FIRST_RETRY,
                // A failure while the keeper stops is not reported.
                Err(_) if self.thread.stop.is_cancelled() => return,
                Err(error) => {
                    self.thread.report(&error);
                    self.pause(retry);
                    retry = (retry * 2).min(LONGEST_RETRY);
                }
            }
        }
    }

    fn has_lost_lock(&self) -> bool {
        self.lock.as_ref().is_some_and(|lock| !lock.is_held())
    }

    /// Returns after `time`, when files or settings change, or when the lock was lost.
    fn pause(&self, time: Duration) {
        let KeeperThread { engine, feed, .. } = self.thread;
        let until = Instant::now().checked_add(time);
        while until.is_none_or(|until| Instant::now() < until)
            && !feed.pause_until_change(CHECK_INTERVAL.min(time))
        {
            engine.follow_settings();
            if !Arc::ptr_eq(&self.settings, &engine.settings()) || self.has_lost_lock() {
                return;
            }
        }
    }

    /// New settings may include other files, and may name another provider.
    fn apply_settings(&mut self) {
        self.thread.engine.follow_settings();
        let settings = self.thread.engine.settings();
        if Arc::ptr_eq(&self.settings, &settings) {
            return;
        }
        let (old, new) = (&self.settings.config, &settings.config);
        if old.provider != new.provider {
            self.new_provider = Some(ProviderChange::default());
        }
        if old.watcher != new.watcher {
            self.watching = self.thread.start_watching(&new.watcher);
        }
        self.settings = settings;
        self.rescan();
    }

    /// Schedules a comparison of the whole tree with the index.
    fn rescan(&self) {
        let KeeperThread { engine, feed, .. } = self.thread;
        feed.add_everything();
        let sees_all = matches!(self.watching, Watching::Events(_));
        engine.watch_state().set_feed(sees_all.then(|| feed.clone()));
    }

    /// Changes are indexed before anything is embedded: an outdated result is worse than one that was ranked without
    /// provider vectors.
    fn run_next_task(&mut self) -> Result<(), EngineError> {
        let KeeperThread { engine, feed, .. } = self.thread;
        if self.time_until_scan().is_zero() {
            feed.add_everything();
        }
        match feed.take_quiet(self.quiet_time()) {
            // The main worktree has recreated the index that this worktree shares.
            Changes::None if !engine.is_complete() => {
                self.has_new_commits = true;
                self.rescan();
                Ok(())
            }
            Changes::None if self.new_provider.is_some() => self.adopt_provider(),
            Changes::None if engine.lacks_structure() => self.read_structure_for_a_while(),
            Changes::None if self.has_new_commits => {
                self.has_new_commits = self.read_history()?;
                Ok(())
            }
            Changes::None if engine.has_pending_vectors()? => self.embed_for_a_while(),
            Changes::None => {
                engine.watch_state().set_error(None);
                self.pause(self.time_until_scan());
                Ok(())
            }
            changes => self.sync(&changes),
        }
    }

    /// The only work done while paused: indexes files that somebody edited.
    fn follow_edits(&mut self) -> Result<(), EngineError> {
        let changes = self.thread.feed.take_quiet(self.quiet_time());
        if self.is_edit(&changes) {
            return self.sync(&changes);
        }
        self.thread.feed.put_back();
        self.pause(CHECK_INTERVAL);
        Ok(())
    }

    /// Whether the changes can be indexed without resuming the paused work.
    fn is_edit(&self, changes: &Changes) -> bool {
        matches!(changes, Changes::Paths(_)) && self.thread.engine.is_complete()
    }

    fn quiet_time(&self) -> Duration {
        Duration::from_millis(self.settings.config.watcher.debounce_ms)
    }

    fn adopt_provider(&mut self) -> Result<(), EngineError> {
        let KeeperThread { engine, feed, stop, .. } = self.thread;
        let Some(change) = &mut self.new_provider else { return Ok(()) };
        let token = feed.token_until_change(EMBED_SLICE, stop);
        let Some(_work) = self.thread.begin(&token) else { return Ok(()) };
        match engine.adopt_provider(change, &SilentProgress, &token) {
            Err(error) if was_cancelled(&error, &token) => return Ok(()),
            adopted => adopted?,
        }
        self.new_provider = None;
        Ok(())
    }

    /// Time until the next scan of the tree, unless something changes first.
    fn time_until_scan(&self) -> Duration {
        let interval = match self.watching {
            Watching::No => None,
            Watching::Events(_) => SCAN_DESPITE_EVENTS,
            Watching::Polls(interval) => Some(interval),
        };
        let pause = |interval: Duration| interval.max(self.last_scan_took * PAUSE_PER_SCAN);
        interval.map_or(Duration::MAX, |interval| pause(interval).saturating_sub(self.last_scan.elapsed()))
    }

    /// Indexes changes. If that fails or is cancelled, they are kept for the next attempt.
    fn sync(&mut self, changes: &Changes) -> Result<(), EngineError> {
        let token = self.thread.task_token();
        let work = self.thread.begin(&token);
        if work.is_none() && !self.is_edit(changes) {
            self.thread.feed.put_back();
            return Ok(());
        }
        let synced = match self.index(changes, &token) {
            Err(error) if was_cancelled(&error, &token) => Ok(false),
            synced => synced,
        };
        match synced {
            Ok(true) => self.thread.feed.done(),
            Ok(false) | Err(_) => self.thread.feed.put_back(),
        }
        synced.map(|_reached_end| ())
    }

    /// Returns whether the run finished.
    fn index(&mut self, changes: &Changes, token: &CancelToken) -> Result<bool, EngineError> {
        let KeeperThread { engine, .. } = self.thread;
        // New directories are watched before they are read. Otherwise a file written in between would be missed.
        self.watch_new(changes)?;
        let paths = match changes {
            Changes::Paths(paths) => paths.iter().cloned().collect(),
            Changes::None | Changes::Everything => Vec::new(),
        };
        let request = IndexRequest { paths, ..IndexRequest::before_search() };
        let report = engine.index(&request, WhenLocked::Wait, &SilentProgress, token)?;
        self.has_new_commits = true;
        self.last_scan = Instant::now();
        self.last_scan_took = Duration::from_secs_f64(report.times.discover_ms / 1e3);
        Ok(!report.cancelled)
    }

    /// Watches new directories among the changes. If the system refuses, for example because of a limit, the tree is
    /// polled from now on: a retry would fail again, and no change would be indexed.
    fn watch_new(&mut self, changes: &Changes) -> Result<(), EngineError> {
        let Watching::Events(watcher) = &mut self.watching else { return Ok(()) };
        match watcher.follow(changes, &self.thread.engine) {
            Err(error @ EngineError::Watch(_)) => {
                self.watching = Watching::without_events(&error);
                self.rescan();
                Ok(())
            }
            followed => followed,
        }
    }

    /// Reads the structure that a first run over a large tree left for later. File changes have priority, and so do
    /// searches that need some of it.
    fn read_structure_for_a_while(&self) -> Result<(), EngineError> {
        let KeeperThread { engine, feed, stop, .. } = self.thread;
        let token = feed.token_until_change(STRUCTURE_SLICE, stop);
        let Some(_work) = self.thread.begin(&token) else { return Ok(()) };
        engine.watch_state().set_structure_pass(Some(token.clone()));
        let read = engine.read_structure(&token);
        engine.watch_state().set_structure_pass(None);
        if token.is_cancelled() {
            std::thread::sleep(LOCK_HANDOVER_TIME);
        }
        match read {
            Err(error) if was_cancelled(&error, &token) => Ok(()),
            read => read,
        }
    }

    /// Reads the history for a while; returns whether there is more. Commits arrive with file changes or soon after,
    /// so new ones are looked for after each change.
    fn read_history(&self) -> Result<bool, EngineError> {
        let token = self.thread.task_token();
        let Some(_work) = self.thread.begin(&token) else { return Ok(true) };
        match self.thread.engine.read_history(HISTORY_SLICE, &token) {
            Err(error) if was_cancelled(&error, &token) => Ok(true),
            Ok(pass) => Ok(pass == HistoryPass::Partial),
            // A repository that cannot be read must not keep the index from being updated.
            Err(EngineError::History(error)) => {
                tracing::warn!(%error, "the history was not read");
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    fn embed_for_a_while(&self) -> Result<(), EngineError> {
        let KeeperThread { engine, feed, stop, .. } = self.thread;
        if engine.pull_in_background(stop) {
            // The pull holds the embedding lock; edits are still indexed meanwhile.
            self.pause(CHECK_INTERVAL);
            return Ok(());
        }
        let token = feed.token_until_change(EMBED_SLICE, stop);
        let Some(work) = self.thread.begin(&token) else { return Ok(()) };
        let embedded = engine.embed_pending(&token);
        drop(work);
        match embedded {
            Err(EngineError::Cancelled) => Ok(()),
            // Another process is embedding, or a reindex of this one.
            Err(error) if error.is_locked() => {
                self.pause(CHECK_INTERVAL);
                Ok(())
            }
            done => done,
        }
    }
}

/// A cancelled wait for a lock ends with the lock's error.
fn was_cancelled(error: &EngineError, token: &CancelToken) -> bool {
    token.is_cancelled() && (error.is_locked() || matches!(error, EngineError::Cancelled))
}

impl Drop for WatchSession<'_> {
    fn drop(&mut self) {
        self.thread.engine.watch_state().set_feed(None);
    }
}
