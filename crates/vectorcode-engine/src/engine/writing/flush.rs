//! Indexes changes that are still in the watcher's quiet time, so that a request right after an edit sees them.

use std::time::Duration;

use vectorcode_core::api::IndexRequest;
use vectorcode_core::{CancelToken, SilentProgress};

use crate::activity::Changes;
use crate::engine::{Engine, WhenLocked};
use crate::error::EngineError;

/// More changed paths than this take noticeable time; the response names them instead.
const MAX_FLUSHED: usize = 64;
/// How long a response waits for them.
const FLUSH_TIME: Duration = Duration::from_secs(1);
/// In a tree of at most this many files, a process without its own watcher compares all of them with the index: some
/// 10 ms.
const MAX_SCANNED: u64 = 5_000;

impl Engine {
    /// Indexes changes that are still in the watcher's quiet time, if that is quick and no other process is writing.
    pub fn flush_pending(&self) {
        let paths = match self.watch_state().pending_changes() {
            Changes::Paths(paths) if paths.len() <= MAX_FLUSHED => paths.into_iter().collect(),
            // Another process watches: the changes it has seen are not known here.
            Changes::Everything if self.is_watched_by_another() && self.is_small() => Vec::new(),
            Changes::None | Changes::Paths(_) | Changes::Everything => return,
        };
        let request = IndexRequest { paths, ..IndexRequest::before_search() };
        let cancel = CancelToken::expiring(FLUSH_TIME);
        let flushed = self.index(&request, WhenLocked::Fail, &SilentProgress, &cancel);
        self.watch_state().set_missed_edits(flushed.as_ref().is_err_and(EngineError::is_locked));
        if let Err(error) = flushed {
            tracing::debug!(%error, "pending changes were not indexed before the answer");
        }
    }

    fn is_watched_by_another(&self) -> bool {
        !self.watch_state().has_feed() && self.is_complete() && self.is_watched()
    }

    fn is_small(&self) -> bool {
        let files = self.reader().and_then(|reader| Ok(reader.size()?.files));
        files.is_ok_and(|files| files <= MAX_SCANNED)
    }
}
