//! Keeps the index up to date while a server runs: catches up with the disk, embeds what is pending, watches for changes.
//!
//! Any number of processes may serve a project; the one that holds `.vectorcode/watch.lock` does this work. The lock is
//! the operating system's, so it is free as soon as its holder ends, and another process takes over.

mod watcher;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::WatcherConfig;
use vectorcode_core::{CancelToken, Diagnose, SilentProgress};
use vectorcode_store::{LockGuard, LockRole, WhenHeld};

use crate::change_feed::{ChangeFeed, Changes};
use crate::history::HistoryPass;
use crate::settings::Settings;
use crate::{Engine, EngineError, WhenLocked};
use watcher::TreeWatcher;

/// How often an idle keeper looks at the settings, and a waiting one at the lock.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Stage two is interrupted this often, so that other processes that want to embed get the lock.
const EMBED_SLICE: Duration = Duration::from_secs(2);
/// The history is read this long at a time, so that changes of files are indexed meanwhile.
const HISTORY_SLICE: Duration = Duration::from_millis(500);
/// How often the tree is scanned where the system refuses to watch it.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Windows drops events when many come at once, and `notify` does not tell. A scan at this interval finds what was missed.
const SCAN_DESPITE_EVENTS: Option<Duration> =
    if cfg!(windows) { Some(Duration::from_secs(30)) } else { None };
/// The pause between scans is at least this many times as long as a scan takes, so that polling a large tree costs no more
/// than a twentieth of one core.
const PAUSE_PER_SCAN: u32 = 20;
/// Retries after a failure: the pause doubles from the first to the longest.
const FIRST_RETRY: Duration = Duration::from_secs(2);
const LONGEST_RETRY: Duration = Duration::from_mins(5);

/// A background thread that keeps one project's index up to date, as its settings say. Stops when dropped.
#[derive(Debug)]
pub struct Keeper {
    stop: CancelToken,
    feed: Arc<ChangeFeed>,
    caught_up: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    pub fn start(engine: Arc<Engine>) -> Result<Self, EngineError> {
        let stop = CancelToken::default();
        let feed = Arc::new(ChangeFeed::default());
        let caught_up = Arc::new(AtomicBool::new(false));
        let keeper_thread =
            KeeperThread { engine, stop: stop.clone(), feed: feed.clone(), caught_up: caught_up.clone() };
        let thread = std::thread::Builder::new()
            .name("keeper".into())
            .spawn(move || keeper_thread.run())
            .map_err(EngineError::io("start the keeper thread for", "."))?;
        Ok(Self { stop, feed, caught_up, thread: Some(thread) })
    }

    /// Whether all that changed before the start is in the index, or will not get there by this keeper: another process
    /// does the work, there is no index, or the update failed.
    pub fn has_caught_up(&self) -> bool {
        self.caught_up.load(Ordering::Relaxed)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.stop.cancel();
        self.feed.close();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed by it.
            let _ = thread.join();
        }
    }
}

/// What runs on the keeper's thread.
struct KeeperThread {
    engine: Arc<Engine>,
    stop: CancelToken,
    feed: Arc<ChangeFeed>,
    caught_up: Arc<AtomicBool>,
}

impl KeeperThread {
    /// Waits until the watch lock is free, then watches until the keeper stops.
    fn run(&self) {
        while !self.stop.is_cancelled() {
            self.engine.follow_settings();
            let pause = match self.has_work().then(|| self.acquire_lock()) {
                Some(Ok(_lock)) => return WatchSession::start(self).run(),
                None => CHECK_INTERVAL,
                Some(Err(error)) if error.is_locked() => CHECK_INTERVAL,
                Some(Err(error)) => {
                    self.report(&error);
                    FIRST_RETRY
                }
            };
            self.caught_up.store(true, Ordering::Relaxed);
            self.feed.pause(pause);
        }
    }

    /// Whether there is an index to keep up to date, or one to build. A home directory or a whole disk is not even watched
    /// unless the user asked for it; every answer says so where there is no index.
    fn has_work(&self) -> bool {
        let engine = &self.engine;
        match engine.project().check_root() {
            Ok(()) => engine.config().indexing.auto_index || engine.is_indexed(),
            Err(error) => {
                engine.watch_state().set_error(Some(error.to_string()));
                false
            }
        }
    }

    fn acquire_lock(&self) -> Result<Box<dyn LockGuard>, EngineError> {
        self.engine.project().create_directory()?;
        Ok(self.engine.store().lock(LockRole::Watch, WhenHeld::Fail)?)
    }

    /// Reports a failure in the log, and in the notes of searches and status until an update succeeds.
    fn report(&self, error: &EngineError) {
        self.engine.watch_state().set_error(Some(error.to_string()));
        tracing::warn!(%error, hint = error.hint(), "the index could not be updated");
    }

    fn start_watching(&self, settings: &WatcherConfig) -> Watching {
        if settings.disabled {
            return Watching::No;
        }
        if let Some(seconds) = settings.poll_secs {
            return Watching::Polls(Duration::from_secs(seconds));
        }
        TreeWatcher::start(&self.engine, &self.feed).map_or_else(
            |error| {
                tracing::warn!(%error, "file events are not available; the project is scanned every {POLL_INTERVAL:?} instead");
                Watching::Polls(POLL_INTERVAL)
            },
            Watching::Events,
        )
    }

    /// Returns after `time`, or when files or settings change.
    fn pause(&self, time: Duration, settings: &Arc<Settings>) {
        let until = Instant::now().checked_add(time);
        while until.is_none_or(|until| Instant::now() < until)
            && !self.feed.pause_until_change(CHECK_INTERVAL.min(time))
        {
            self.engine.follow_settings();
            if !Arc::ptr_eq(settings, &self.engine.settings()) {
                return;
            }
        }
    }
}

/// How changes of the tree are noticed.
enum Watching {
    No,
    Events(TreeWatcher),
    /// The tree is compared with the index at this interval.
    Polls(Duration),
}

/// The work of the process that holds the watch lock.
struct WatchSession<'t> {
    thread: &'t KeeperThread,
    /// Those that were last applied.
    settings: Arc<Settings>,
    watching: Watching,
    /// When the tree was last compared with the index, and how long that took.
    last_scan: Instant,
    last_scan_took: Duration,
    /// The settings name another provider than the one that the vectors are from.
    has_new_provider: bool,
    /// There may be commits that the index does not have.
    has_new_commits: bool,
}

impl<'t> WatchSession<'t> {
    fn start(thread: &'t KeeperThread) -> Self {
        let settings = thread.engine.settings();
        let watching = thread.start_watching(&settings.config.watcher);
        let session = Self {
            thread,
            settings,
            watching,
            last_scan: Instant::now(),
            last_scan_took: Duration::ZERO,
            // It may have changed while no process watched.
            has_new_provider: thread.engine.has_other_vectors().unwrap_or(false),
            has_new_commits: true,
        };
        session.rescan();
        session
    }

    /// First everything that changed while no process watched, then change by change.
    fn run(mut self) {
        let mut retry = FIRST_RETRY;
        while !self.thread.stop.is_cancelled() {
            self.apply_settings();
            if self.time_until_scan().is_zero() {
                self.thread.feed.add_everything();
            }
            let done = self.run_next_task();
            self.thread.caught_up.store(true, Ordering::Relaxed);
            match done {
                Ok(()) => retry = FIRST_RETRY,
                Err(error) => {
                    self.thread.report(&error);
                    self.thread.pause(retry, &self.settings);
                    retry = (retry * 2).min(LONGEST_RETRY);
                }
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
        self.has_new_provider |= old.provider != new.provider;
        if old.watcher != new.watcher {
            self.watching = self.thread.start_watching(&new.watcher);
        }
        self.settings = settings;
        self.rescan();
    }

    /// Has the whole tree compared with the index next.
    fn rescan(&self) {
        let KeeperThread { engine, feed, .. } = self.thread;
        feed.add_everything();
        let sees_all = matches!(self.watching, Watching::Events(_));
        engine.watch_state().set_feed(sees_all.then(|| feed.clone()));
    }

    /// Changes are indexed before anything is embedded: a result that is out of date is worse than one that only stage
    /// one ranked.
    fn run_next_task(&mut self) -> Result<(), EngineError> {
        let KeeperThread { engine, feed, stop, .. } = self.thread;
        let quiet = Duration::from_millis(self.settings.config.watcher.debounce_ms);
        match feed.take_quiet(quiet) {
            Changes::None if self.has_new_provider => {
                engine.adopt_provider(stop)?;
                self.has_new_provider = false;
                Ok(())
            }
            Changes::None if self.has_new_commits => {
                self.has_new_commits = self.read_history()?;
                Ok(())
            }
            Changes::None if engine.has_pending_vectors()? => self.embed_for_a_while(),
            Changes::None => {
                engine.watch_state().set_error(None);
                self.thread.pause(self.time_until_scan(), &self.settings);
                Ok(())
            }
            changes => {
                let synced = self.sync(&changes);
                match synced {
                    Ok(()) => feed.done(),
                    Err(_) => feed.put_back(),
                }
                synced
            }
        }
    }

    /// How long until the tree is to be scanned again, unless something changes first.
    fn time_until_scan(&self) -> Duration {
        let interval = match self.watching {
            Watching::No => None,
            Watching::Events(_) => SCAN_DESPITE_EVENTS,
            Watching::Polls(interval) => Some(interval),
        };
        let pause = |interval: Duration| interval.max(self.last_scan_took * PAUSE_PER_SCAN);
        interval.map_or(Duration::MAX, |interval| pause(interval).saturating_sub(self.last_scan.elapsed()))
    }

    fn sync(&mut self, changes: &Changes) -> Result<(), EngineError> {
        let KeeperThread { engine, stop, .. } = self.thread;
        // New directories are watched before they are read. A file that is written in between would be missed otherwise.
        if let Watching::Events(watcher) = &mut self.watching {
            watcher.follow(changes, engine)?;
        }
        let paths = match changes {
            Changes::Paths(paths) => paths.iter().cloned().collect(),
            Changes::None | Changes::Everything => Vec::new(),
        };
        let request = IndexRequest { full: false, paths, stage_one_only: true, query_waits: true };
        let report = engine.index(&request, WhenLocked::Wait, &SilentProgress, stop)?;
        self.has_new_commits = true;
        self.last_scan = Instant::now();
        self.last_scan_took = Duration::from_secs_f64(report.times.discover_ms / 1e3);
        Ok(())
    }

    /// Reads the history for a while; returns whether there is more. Commits come with changes of files, or soon after
    /// them, so they are looked for after each change.
    fn read_history(&self) -> Result<bool, EngineError> {
        let KeeperThread { engine, stop, .. } = self.thread;
        match engine.read_history(HISTORY_SLICE, stop) {
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
        match engine.embed_pending(&feed.token_until_change(EMBED_SLICE, stop)) {
            // Another process embeds, or a reindex of this one.
            Err(error) if error.is_locked() => {
                self.thread.pause(CHECK_INTERVAL, &self.settings);
                Ok(())
            }
            done => done,
        }
    }
}

impl Drop for WatchSession<'_> {
    fn drop(&mut self) {
        self.thread.engine.watch_state().set_feed(None);
    }
}
