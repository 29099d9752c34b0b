//! Runs the index runs that callers request: one at a time, each on its own thread, so that a run outlives the call.

use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::watch;
use vectorcode_core::api::{IndexReport, IndexRequest};
use vectorcode_core::{CancelToken, Progress, lock};
use vectorcode_engine::{Engine, EngineError, WhenLocked};

/// The state of a run.
#[derive(Clone, Debug)]
pub(crate) enum JobState {
    /// `None` until the write lock is acquired and work has begun.
    Running(Option<Progress>),
    Done(Arc<Result<IndexReport, EngineError>>),
    /// Its thread panicked; the message is on stderr.
    Panicked,
}

/// A handle to one run. Dropping it does not stop the work.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    cancel: CancelToken,
    state: watch::Receiver<JobState>,
}

impl Job {
    pub(crate) fn state(&self) -> JobState {
        self.state.borrow().clone()
    }

    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
    }

    pub(crate) fn is_running(&self) -> bool {
        matches!(*self.state.borrow(), JobState::Running(_))
    }

    /// Returns when the run is over, whether it succeeded or not.
    pub(crate) async fn ended(&mut self) {
        // A closed channel means that the thread is gone, so the run is over too.
        let _ = self.state.wait_for(|state| !matches!(state, JobState::Running(_))).await;
    }
}

/// The error when another run is already in progress.
#[derive(Debug)]
pub(crate) struct AlreadyRunning(pub(crate) Job);

/// Starts runs and remembers the last one.
#[derive(Debug, Default)]
pub(crate) struct Reindexer {
    last: Mutex<Option<Job>>,
}

impl Reindexer {
    pub(crate) fn start(&self, engine: &Arc<Engine>, request: IndexRequest) -> Result<Job, AlreadyRunning> {
        let mut last = self.lock();
        if let Some(job) = last.as_ref().filter(|job| job.is_running()) {
            return Err(AlreadyRunning(job.clone()));
        }
        let job = spawn(engine.clone(), request);
        *last = Some(job.clone());
        Ok(job)
    }

    pub(crate) fn last(&self) -> Option<Job> {
        self.lock().clone()
    }

    /// Asks the current run to stop. Returns false if there is none.
    pub(crate) fn cancel(&self) -> bool {
        let running = self.last().filter(Job::is_running);
        running.inspect(Job::cancel).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Job>> {
        lock(&self.last)
    }
}

fn spawn(engine: Arc<Engine>, request: IndexRequest) -> Job {
    let cancel = CancelToken::default();
    let (sender, state) = watch::channel(JobState::Running(None));
    let token = cancel.clone();
    std::thread::spawn(move || {
        let sender = StateSender(sender);
        let sink = |progress: &Progress| sender.send(JobState::Running(Some(progress.clone())));
        let result = engine.index(&request, WhenLocked::Wait, &sink, &token);
        sender.send(JobState::Done(Arc::new(result)));
    });
    Job { cancel, state }
}

/// Publishes the state of a run, and [`JobState::Panicked`] if its thread unwinds, because callers would otherwise wait for
/// ever.
struct StateSender(watch::Sender<JobState>);

impl StateSender {
    fn send(&self, state: JobState) {
        self.0.send_replace(state);
    }
}

impl Drop for StateSender {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.send(JobState::Panicked);
        }
    }
}
