//! Keeping the index true while a server runs: catch up with the disk, embed what is pending, watch for changes.
//!
//! Any number of processes may serve a project; the one that holds `.vectorcode/watch.lock` does this work.
//! The lock is the operating system's, so it is free the moment its holder ends, and another takes over.

mod changes;
mod watcher;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::WatcherConfig;
use vectorcode_core::{CancelToken, Diagnose, SilentProgress};
use vectorcode_store::{StoreError, WriterLock};

use crate::settings::Settings;
use crate::{Engine, EngineError, Project, WhenLocked};
pub(crate) use changes::{Changes, Collector};
use watcher::TreeWatcher;

const LOCK_NAME: &str = "watch.lock";
/// How often a keeper at rest looks at the settings, and a waiting one at the lock.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Stage two is interrupted this often, so that others who embed get their turn.
const EMBED_SLICE: Duration = Duration::from_secs(2);
/// How often the tree is read where the system refuses to watch it.
const POLL_EVERY: Duration = Duration::from_secs(5);
/// Windows drops events when many come at once, and `notify` does not tell. By then a look at the tree finds what was missed.
const LOOK_DESPITE_EVENTS: Option<Duration> =
    if cfg!(windows) { Some(Duration::from_secs(30)) } else { None };
/// A tree that takes long to read is read less often: the pause is so many times as long.
const POLL_SHARE: u32 = 20;
/// After a failure the next try waits, longer each time.
const RETRY_FIRST: Duration = Duration::from_secs(2);
const RETRY_LONGEST: Duration = Duration::from_mins(5);

/// A background thread that keeps one project's index true, as its settings say. Stops when dropped.
#[derive(Debug)]
pub struct Keeper {
    stop: CancelToken,
    collector: Arc<Collector>,
    caught_up: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    pub fn start(engine: Arc<Engine>) -> Result<Self, EngineError> {
        let stop = CancelToken::default();
        let collector = Arc::new(Collector::default());
        let caught_up = Arc::new(AtomicBool::new(false));
        let office =
            Office { engine, stop: stop.clone(), collector: collector.clone(), caught_up: caught_up.clone() };
        let thread = std::thread::Builder::new()
            .name("keeper".into())
            .spawn(move || office.wait_for_turn())
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
struct Office {
    engine: Arc<Engine>,
    stop: CancelToken,
    collector: Arc<Collector>,
    caught_up: Arc<AtomicBool>,
}

impl Office {
    fn wait_for_turn(&self) {
        while !self.stop.is_cancelled() {
            self.engine.follow_settings();
            let has_work = self.engine.config().indexing.auto_index || self.engine.project().is_indexed();
            let pause = match has_work.then(|| self.take_watch()) {
                Some(Ok(_lock)) => return Shift::begin(self).keep(),
                None | Some(Err(EngineError::Store(StoreError::Locked { .. }))) => LOOK_EVERY,
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

    fn watch(&self, settings: &WatcherConfig) -> Watching {
        if settings.disabled {
            return Watching::No;
        }
        if let Some(seconds) = settings.poll_secs {
            return Watching::Polls(Duration::from_secs(seconds));
        }
        TreeWatcher::start(&self.engine, &self.collector).map_or_else(
            |error| {
                tracing::warn!(%error, "the system refuses to watch; the project is read every {POLL_EVERY:?} instead");
                Watching::Polls(POLL_EVERY)
            },
            Watching::Events,
        )
    }

    /// Returns after `time`, or when files or settings change.
    fn pause(&self, time: Duration, settings: &Arc<Settings>) {
        let until = Instant::now().checked_add(time);
        while until.is_none_or(|until| Instant::now() < until)
            && !self.collector.pause_until_change(LOOK_EVERY.min(time))
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
    /// The tree is compared with the index every so often.
    Polls(Duration),
}

/// The time during which this keeper holds the watch.
struct Shift<'o> {
    office: &'o Office,
    /// Those that were last acted on.
    settings: Arc<Settings>,
    watching: Watching,
    /// When the tree was last compared with the index, and how long that took.
    last_look: Instant,
    last_look_took: Duration,
    /// The settings have come to name another provider than they did.
    has_new_provider: bool,
}

impl<'o> Shift<'o> {
    fn begin(office: &'o Office) -> Self {
        let settings = office.engine.settings();
        let watching = office.watch(&settings.config.watcher);
        let shift = Self {
            office,
            settings,
            watching,
            last_look: Instant::now(),
            last_look_took: Duration::ZERO,
            has_new_provider: false,
        };
        shift.start_over();
        shift
    }

    /// Everything that changed so far first, then change by change.
    fn keep(mut self) {
        let mut retry = RETRY_FIRST;
        while !self.office.stop.is_cancelled() {
            self.heed_settings();
            if self.spare_time().is_zero() {
                self.office.collector.add_everything();
            }
            let done = self.next_task();
            self.office.caught_up.store(true, Ordering::Relaxed);
            match done {
                Ok(()) => retry = RETRY_FIRST,
                Err(error) => {
                    self.office.failed(&error);
                    self.office.pause(retry, &self.settings);
                    retry = (retry * 2).min(RETRY_LONGEST);
                }
            }
        }
    }

    /// New settings may admit other files, and may ask for another provider.
    fn heed_settings(&mut self) {
        self.office.engine.follow_settings();
        let settings = self.office.engine.settings();
        if Arc::ptr_eq(&self.settings, &settings) {
            return;
        }
        let (old, new) = (&self.settings.config, &settings.config);
        self.has_new_provider |= old.provider != new.provider;
        if old.watcher != new.watcher {
            self.watching = self.office.watch(&new.watcher);
        }
        self.settings = settings;
        self.start_over();
    }

    fn start_over(&self) {
        let Office { engine, collector, .. } = self.office;
        collector.add_everything();
        let sees_all = matches!(self.watching, Watching::Events(_));
        engine.set_vigil(sees_all.then(|| collector.clone()));
    }

    /// Changes go before embedding, because a stale answer is worse than one without stage two.
    fn next_task(&mut self) -> Result<(), EngineError> {
        let Office { engine, collector, stop, .. } = self.office;
        let quiet = Duration::from_millis(self.settings.config.watcher.debounce_ms);
        match collector.take_quiet(quiet) {
            Changes::None if self.has_new_provider => {
                engine.adopt_provider(stop)?;
                self.has_new_provider = false;
                Ok(())
            }
            Changes::None if engine.has_pending_vectors()? => self.embed_for_a_while(),
            Changes::None => {
                engine.set_background_error(None);
                self.office.pause(self.spare_time(), &self.settings);
                Ok(())
            }
            changes => {
                let synced = self.sync(&changes);
                match synced {
                    Ok(()) => collector.done(),
                    Err(_) => collector.put_back(),
                }
                synced
            }
        }
    }

    /// How long nothing has to be done unless something changes.
    fn spare_time(&self) -> Duration {
        let interval = match self.watching {
            Watching::No => None,
            Watching::Events(_) => LOOK_DESPITE_EVENTS,
            Watching::Polls(interval) => Some(interval),
        };
        let pause = |interval: Duration| interval.max(self.last_look_took * POLL_SHARE);
        interval.map_or(Duration::MAX, |interval| pause(interval).saturating_sub(self.last_look.elapsed()))
    }

    fn sync(&mut self, changes: &Changes) -> Result<(), EngineError> {
        let Office { engine, stop, .. } = self.office;
        // Watch new directories before they are read, so that nothing falls between.
        if let Watching::Events(watcher) = &mut self.watching {
            watcher.follow(changes, engine)?;
        }
        let paths = match changes {
            Changes::Paths(paths) => paths.iter().cloned().collect(),
            Changes::None | Changes::Everything => Vec::new(),
        };
        let request = IndexRequest { full: false, paths, stage_one_only: true };
        let report = engine.index(&request, WhenLocked::Wait, &SilentProgress, stop)?;
        self.last_look = Instant::now();
        self.last_look_took = Duration::from_secs_f64(report.times.discover_ms / 1e3);
        Ok(())
    }

    fn embed_for_a_while(&self) -> Result<(), EngineError> {
        let Office { engine, collector, stop, .. } = self.office;
        match engine.embed_pending(&collector.token_until_change(EMBED_SLICE, stop)) {
            // Another process is at it, or a reindex of this one.
            Err(EngineError::Store(StoreError::Locked { .. })) => {
                self.office.pause(LOOK_EVERY, &self.settings);
                Ok(())
            }
            done => done,
        }
    }
}

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        self.office.engine.set_vigil(None);
    }
}
