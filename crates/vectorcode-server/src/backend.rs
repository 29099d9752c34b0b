//! What all front ends of one server share: the project's engine, its background work, and the user's other projects.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use vectorcode_core::CancelToken;
use vectorcode_engine::{Engine, EngineError, Freshen, Keeper, Projects};

use crate::error::ServerError;
use crate::failure::Failure;
use crate::limits::{MAX_ENGINE_CALLS, MAX_EVENT_STREAMS};
use crate::reindex::Reindexer;

/// How long a stopping server waits for background work to reach a safe point. A hard stop does not damage the index,
/// so a short wait is enough.
const STOP_TIMEOUT: Duration = Duration::from_millis(1500);
/// How long a query waits for the index to catch up with the disk right after the server has started. Agents send
/// their first query at once; a complete answer after seconds is worth more to them than an empty one.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(5);
const CATCH_UP_POLL: Duration = Duration::from_millis(20);

/// Tells work on a blocking thread that nobody waits for it any more.
struct CancelOnDrop(CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The state that every request handler shares.
#[derive(Debug)]
pub(crate) struct Backend {
    engine: Arc<Engine>,
    projects: Arc<Projects>,
    keeper: Mutex<Option<Keeper>>,
    reindexer: Reindexer,
    engine_slots: Arc<Semaphore>,
    event_slots: Arc<Semaphore>,
    shutdown: CancellationToken,
}

impl Backend {
    /// Starts the background work. This call itself waits neither for an index nor for a model.
    pub(crate) fn start(engine: Arc<Engine>) -> Result<Arc<Self>, ServerError> {
        let keeper = Keeper::start(engine.clone())?;
        Ok(Self::with_keeper(engine, Some(keeper)))
    }

    /// Without background work: the index is used as it is.
    pub(crate) fn idle(engine: Arc<Engine>) -> Arc<Self> {
        Self::with_keeper(engine, None)
    }

    fn with_keeper(engine: Arc<Engine>, keeper: Option<Keeper>) -> Arc<Self> {
        Arc::new(Self {
            projects: Arc::new(Projects::around(engine.clone(), Freshen::Never)),
            engine,
            keeper: Mutex::new(keeper),
            reindexer: Reindexer::default(),
            engine_slots: Arc::new(Semaphore::new(MAX_ENGINE_CALLS)),
            event_slots: Arc::new(Semaphore::new(MAX_EVENT_STREAMS)),
            shutdown: CancellationToken::new(),
        })
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The registered projects of the user.
    pub(crate) fn projects(&self) -> &Arc<Projects> {
        &self.projects
    }

    pub(crate) fn reindexer(&self) -> &Reindexer {
        &self.reindexer
    }

    /// One permit for each open event stream.
    pub(crate) fn event_slots(&self) -> &Arc<Semaphore> {
        &self.event_slots
    }

    /// Cancelled when the server is about to stop, so that long waits end.
    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Runs synchronous work of the engine on a blocking thread. Does not wait for the index to catch up.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.run_blocking(work).await?.map_err(Failure::from)
    }

    /// Asks the registered project of that name, or this project without a name, once its index has caught up.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        project: Option<String>,
        question: impl Fn(&Engine) -> Result<T, EngineError> + Send + Sync + 'static,
    ) -> Result<T, Failure> {
        self.ask_until(project, move |engine, _| question(engine)).await
    }

    /// As [`Self::ask`], for questions that may take long: the token is cancelled when nobody waits for the answer any more.
    pub(crate) async fn ask_until<T: Send + 'static>(
        &self,
        project: Option<String>,
        question: impl Fn(&Engine, &CancelToken) -> Result<T, EngineError> + Send + Sync + 'static,
    ) -> Result<T, Failure> {
        let projects = self.projects.clone();
        let cancel = CancelToken::default();
        // Cancelled with this future, which is dropped when the caller takes the request back or disconnects.
        let _cancel_on_drop = CancelOnDrop(cancel.clone());
        self.query(move |engine| match project {
            None => question(engine, &cancel),
            Some(name) => projects.ask_one(&name, move |engine| question(engine, &cancel)),
        })
        .await
    }

    /// Runs `work` once the index has caught up. While the first index is being built, that is the reason of a failure.
    pub(crate) async fn query<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.await_catch_up().await;
        let work = move |engine: &Engine| {
            engine.flush_pending();
            work(engine)
        };
        match self.run_blocking(work).await? {
            Err(EngineError::Store(_)) if self.is_building_first_index() => Err(Failure::environment(
                "The index of this project is being built.",
                "Try again in a few seconds; the status shows the progress.",
            )),
            result => Ok(result?),
        }
    }

    /// Runs `work` at once, or not at all: where the index has not caught up or other calls are waiting, the answer is `None`.
    #[cfg(unix)]
    pub(crate) async fn run_if_free<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Option<T> {
        if !self.has_caught_up() || self.engine_slots.available_permits() == 0 {
            return None;
        }
        self.run_blocking(work).await.ok()
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let engine = self.engine.clone();
        let slot = self.engine_slots.clone().acquire_owned().await;
        let work = move || {
            let _slot = slot;
            work(&engine)
        };
        tokio::task::spawn_blocking(work).await.map_err(|_panic| Failure::panicked())
    }

    async fn await_catch_up(&self) {
        let deadline = Instant::now() + CATCH_UP_TIMEOUT;
        while !self.has_caught_up() && Instant::now() < deadline && !self.shutdown.is_cancelled() {
            tokio::time::sleep(CATCH_UP_POLL).await;
        }
    }

    /// True while there is nothing to search because the first index is not there yet.
    pub(crate) fn is_building_first_index(&self) -> bool {
        self.waits_for_first_index() && !self.has_caught_up()
    }

    /// A root that is refused (a home directory, a whole disk) gets no index, however long one waits.
    fn waits_for_first_index(&self) -> bool {
        self.engine.config().indexing.auto_index && self.engine.project().check_root().is_ok()
    }

    /// Only the catch-up at the start counts; later changes are flagged in the results instead of waited for. The first
    /// index may be the work of another process, so its presence is checked apart from our own keeper.
    fn has_caught_up(&self) -> bool {
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let waits_for_index = self.waits_for_first_index() && !self.engine.is_indexed();
        !waits_for_index && keeper.as_ref().is_none_or(Keeper::has_caught_up)
    }

    /// Stops background work, waiting at most [`STOP_TIMEOUT`] for it.
    pub(crate) fn stop(&self) {
        self.shutdown.cancel();
        self.reindexer.cancel();
        let Some(keeper) = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let (done, wait) = std::sync::mpsc::channel();
        let stopper = std::thread::spawn(move || {
            drop(keeper);
            // The receiver is gone if the timeout came first.
            let _ = done.send(());
        });
        if wait.recv_timeout(STOP_TIMEOUT).is_err() {
            tracing::debug!(thread = ?stopper.thread().id(), "background work did not stop in time");
        }
    }
}
