//! Ends all event streams and sessions of a caller when it loses access.

use std::collections::HashMap;
use std::sync::Mutex;

use tokio_util::sync::CancellationToken;
use vectorcode_core::lock;

use super::caller::{Caller, CallerId};

/// One cancellation token for each caller. Only admitted callers have one, so there are at most as many as access tokens.
#[derive(Debug, Default)]
pub(crate) struct CallerStreams(Mutex<HashMap<CallerId, CancellationToken>>);

impl CallerStreams {
    /// Ties whatever the caller opens from now on to its access.
    pub(crate) fn admit(&self, caller: Caller) -> Caller {
        let mut open = lock(&self.0);
        let ended = open.entry(caller.id()).or_default().clone();
        caller.until(ended)
    }

    /// Ends the streams and sessions of callers that have lost access.
    pub(crate) fn revoke_except(&self, has_access: impl Fn(&CallerId) -> bool) {
        let mut open = lock(&self.0);
        open.retain(|caller, ended| {
            let stays = has_access(caller);
            if !stays {
                tracing::info!(token = caller.as_deref().unwrap_or("-"), "streams and sessions are ended");
                ended.cancel();
            }
            stays
        });
    }
}
