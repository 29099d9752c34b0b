//! A thread that beats once a second for as long as it is kept.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(1);

/// Ends with this value.
#[derive(Debug)]
pub(super) struct Heartbeat {
    _alive: Sender<()>,
}

impl Heartbeat {
    /// Without a thread there is no beat, and progress is shown as it is reported.
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
