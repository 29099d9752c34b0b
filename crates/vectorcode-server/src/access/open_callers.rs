//! The callers that may hold something open, such as an event stream or a session, and how all of it is ended at once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::caller::{Caller, CallerId};

/// One cancellation token for each caller. Only callers who were let in have one, so there are at most as many as access
/// tokens.
#[derive(Debug, Default)]
pub(crate) struct OpenCallers(Mutex<HashMap<CallerId, CancellationToken>>);

impl OpenCallers {
    /// What the caller opens from now on ends when it is no longer let in.
    pub(crate) fn admit(&self, caller: Caller) -> Caller {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = open.entry(caller.id()).or_default().clone();
        caller.until(ended)
    }

    /// Ends what those callers hold open who are not let in any more.
    pub(crate) fn keep_only(&self, is_let_in: impl Fn(&CallerId) -> bool) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|caller, ended| {
            let stays = is_let_in(caller);
            if !stays {
                tracing::info!(token = caller.as_deref().unwrap_or("-"), "streams and sessions are ended");
                ended.cancel();
            }
            stays
        });
    }
}
