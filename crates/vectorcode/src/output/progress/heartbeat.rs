//! A thread that runs a function once a second.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(1);

/// Dropping this value ends the thread.
#[derive(Debug)]
pub(super) struct Heartbeat {
    _alive: Sender<()>,
}

impl Heartbeat {
    /// If no thread can be started, nothing is run, and progress is only shown when it is reported.
    pub fn start(beat: impl Fn() + Send + 'static) -> Self {
        let (alive, ended) = channel::<()>();
        let work = move || {
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                beat();
            }
        };
        let _ = std::thread::Builder::new().name("progress".into()).spawn(work);
        Self { _alive: alive }
    }
}
