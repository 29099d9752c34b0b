//! One project behind all faces: its engine, the keeper that holds the index true, the reindex under way, and the way to
//! the user's other projects.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use vectorcode_core::Phase;
use vectorcode_core::api::Activity;
use vectorcode_engine::{Engine, EngineError, Freshen, Keeper, Projects};

use crate::ServerError;
use crate::failure::Failure;
use crate::reindex::Reindexer;

/// How long an ending server waits for background work to reach a safe point. The index survives a hard stop.
const STOP_PATIENCE: Duration = Duration::from_millis(1500);
/// How long a question waits for the index to catch up with the disk when the server has just started.
const CATCH_UP_PATIENCE: Duration = Duration::from_secs(5);
const CATCH_UP_POLL: Duration = Duration::from_millis(20);
/// Calls that the engine works on at once; the others wait for their turn. The store keeps as many connections.
const CALLS_AT_ONCE: usize = 4;
const MOST_LISTENERS: usize = 32;

/// What every request handler shares.
#[derive(Debug)]
pub(crate) struct Backend {
    engine: Arc<Engine>,
    projects: Arc<Projects>,
    keeper: Mutex<Option<Keeper>>,
    reindexer: Reindexer,
    turns: Arc<Semaphore>,
    listeners: Arc<Semaphore>,
    ending: CancellationToken,
}

/// A worker thread panicked; the message is on stderr.
#[derive(Debug)]
pub(crate) struct Panicked;

impl Backend {
    /// Starts the background work. Nothing here waits for an index, a model or a disk.
    pub(crate) fn start(engine: Arc<Engine>) -> Result<Arc<Self>, ServerError> {
        let keeper = Keeper::start(engine.clone())?;
        Ok(Arc::new(Self {
            projects: Arc::new(Projects::around(engine.clone(), Freshen::Never)),
            engine,
            keeper: Mutex::new(Some(keeper)),
            reindexer: Reindexer::default(),
            turns: Arc::new(Semaphore::new(CALLS_AT_ONCE)),
            listeners: Arc::new(Semaphore::new(MOST_LISTENERS)),
            ending: CancellationToken::new(),
        }))
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// All projects of the user, seen from this one.
    pub(crate) fn projects(&self) -> &Arc<Projects> {
        &self.projects
    }

    pub(crate) fn reindexer(&self) -> &Reindexer {
        &self.reindexer
    }

    /// One permit for each open stream of events.
    pub(crate) fn listeners(&self) -> &Arc<Semaphore> {
        &self.listeners
    }

    /// Cancelled when the server is about to end: long waits give up.
    pub(crate) fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    /// Runs work of the synchronous engine without holding up the protocol.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        let engine = self.engine.clone();
        let turn = self.turns.clone().acquire_owned().await;
        let work = move || {
            let _turn = turn;
            work(&engine)
        };
        tokio::task::spawn_blocking(work).await.map_err(|_panic| Panicked)
    }

    /// Puts a question to the registered project of that name, or without a name to the project at hand.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        project: Option<&str>,
        question: impl Fn(&Engine) -> Result<T, EngineError> + Send + Sync + 'static,
    ) -> Result<Result<T, EngineError>, Panicked> {
        let Some(name) = project else { return self.run(question).await };
        let (name, projects) = (name.to_owned(), self.projects.clone());
        self.run(move |_| projects.ask_one(&name, question)).await
    }

    /// True while files are being read for the first time or after a change: answers may lack what is coming.
    pub(crate) fn is_reading_files(&self) -> bool {
        match self.engine.activity() {
            Activity::Idle => false,
            Activity::Running { phase, .. } => phase != Phase::Embed,
        }
    }

    /// Gives the catch-up at the start a moment: the first answers should know the project as it is now.
    pub(crate) async fn await_catch_up(&self) {
        let deadline = Instant::now() + CATCH_UP_PATIENCE;
        while !self.has_caught_up() && Instant::now() < deadline && !self.ending.is_cancelled() {
            tokio::time::sleep(CATCH_UP_POLL).await;
        }
    }

    /// The answer of the engine, or why there is none. While the first index is made, that is why.
    pub(crate) fn answer<T>(&self, found: Result<T, EngineError>) -> Result<T, Failure> {
        match found {
            Err(EngineError::Store(_)) if self.is_making_first_index() => Err(Failure::unavailable(
                "The index of this project is being made right now.",
                "Ask again in a few seconds; the status shows how far it is.",
            )),
            found => Ok(found?),
        }
    }

    /// True while there is nothing to search because the first index is on its way.
    pub(crate) fn is_making_first_index(&self) -> bool {
        self.engine.config().indexing.auto_index && !self.has_caught_up()
    }

    /// Later changes are flagged in the answers instead of waited for. The first index may be another process's work.
    fn has_caught_up(&self) -> bool {
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let waits_for_index = self.engine.config().indexing.auto_index && !self.engine.project().is_indexed();
        !waits_for_index && keeper.as_ref().is_none_or(Keeper::has_caught_up)
    }

    /// Ends background work, waiting a bounded time for it.
    pub(crate) fn stop(&self) {
        self.ending.cancel();
        self.reindexer.cancel();
        let Some(keeper) = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let (done, wait) = std::sync::mpsc::channel();
        let stopper = std::thread::spawn(move || {
            drop(keeper);
            // The receiver is gone when patience ran out first.
            let _ = done.send(());
        });
        if wait.recv_timeout(STOP_PATIENCE).is_err() {
            tracing::debug!(thread = ?stopper.thread().id(), "background work did not stop in time");
        }
    }
}
