//! The index work in progress in this process, so that it can be cancelled from outside.

use std::sync::{Mutex, MutexGuard};

use vectorcode_core::{CancelToken, lock};

/// One token per piece of work: runs, embedding slices, reading the history.
#[derive(Debug, Default)]
pub(crate) struct RunningWork {
    tokens: Mutex<Vec<CancelToken>>,
}

impl RunningWork {
    /// Registers work until the guard is dropped.
    pub(crate) fn enter(&self, token: &CancelToken) -> WorkGuard<'_> {
        self.lock().push(token.clone());
        WorkGuard { work: self, token: token.clone() }
    }

    /// Asks all work to stop at its next safe point.
    pub(crate) fn cancel_all(&self) {
        self.lock().iter().for_each(CancelToken::cancel);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<CancelToken>> {
        lock(&self.tokens)
    }
}

pub(crate) struct WorkGuard<'w> {
    work: &'w RunningWork,
    token: CancelToken,
}

impl Drop for WorkGuard<'_> {
    fn drop(&mut self) {
        let mut tokens = self.work.lock();
        if let Some(place) = tokens.iter().position(|token| token.is_same(&self.token)) {
            tokens.swap_remove(place);
        }
    }
}
