//! Runs the engine's synchronous work on blocking threads, a few at a time.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::failure::Failure;
use crate::limits::MAX_ENGINE_CALLS;
use crate::metrics::{Metrics, Stage};

/// The work slots that all projects of a server share.
#[derive(Debug)]
pub(crate) struct Workers {
    slots: Arc<Semaphore>,
    shutdown: CancellationToken,
    metrics: Metrics,
}

impl Workers {
    pub(crate) fn new() -> Arc<Self> {
        let slots = Arc::new(Semaphore::new(MAX_ENGINE_CALLS));
        Arc::new(Self { slots, shutdown: CancellationToken::new(), metrics: Metrics::default() })
    }

    /// Cancelled when the server is about to stop, so that long waits end.
    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// The server's counters.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Whether a call would not have to wait.
    #[cfg(unix)]
    pub(crate) fn has_free_slot(&self) -> bool {
        self.slots.available_permits() > 0
    }

    /// Runs `work` once one of the slots is free.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let started = Instant::now();
        let slot = self.slots.clone().acquire_owned().await;
        self.metrics.time(Stage::Wait, started.elapsed());
        let work = move || {
            let _slot = slot;
            work()
        };
        Self::run_blocking_unslotted(work).await
    }

    /// Runs `work` without a slot, for work that mostly waits and that queries must not wait for.
    pub(crate) async fn run_blocking_unslotted<T: Send + 'static>(
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        tokio::task::spawn_blocking(work).await.map_err(|_panic| Failure::panicked())
    }
}
