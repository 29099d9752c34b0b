//! The state that the watcher of this process reports to the engine: which changes are not indexed yet, the error
//! that keeps the index from being updated, and whether the work is paused.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use vectorcode_core::{CancelToken, lock};

use crate::activity::{ChangeFeed, Changes};

/// A structure pass is interrupted at most this often, so that it makes progress however many searches there are.
const INTERRUPT_EVERY: Duration = Duration::from_secs(2);

/// Shared by the engine, which reads it, and the watcher, which writes it. Empty while this process does not watch.
#[derive(Debug, Default)]
pub(crate) struct WatchState {
    feed: Mutex<Option<Arc<ChangeFeed>>>,
    error: Mutex<Option<String>>,
    /// A caller cancelled the background work.
    is_paused: AtomicBool,
    /// The index was deleted while this process was serving it.
    is_removed: AtomicBool,
    /// Edits could not be indexed before the last response, because another process was writing.
    has_missed_edits: AtomicBool,
    structure_pass: Mutex<StructurePass>,
}

/// The pass that reads the structure of all files after a first index of words only.
#[derive(Debug, Default)]
struct StructurePass {
    /// The token of the pass in progress.
    token: Option<CancelToken>,
    last_interrupt: Option<Instant>,
}

impl WatchState {
    /// From now on every change in the tree is reported to `feed`; `None`: changes may go unnoticed.
    pub(crate) fn set_feed(&self, feed: Option<Arc<ChangeFeed>>) {
        *lock(&self.feed) = feed;
    }

    /// Whether this process sees every change in the tree.
    pub(crate) fn has_feed(&self) -> bool {
        lock(&self.feed).is_some()
    }

    /// What may have changed since it was indexed; everything, if no feed sees all changes.
    pub(crate) fn pending_changes(&self) -> Changes {
        lock(&self.feed).as_ref().map_or(Changes::Everything, |feed| feed.pending())
    }

    /// Sets why the last background update failed; `None` after a successful one.
    pub(crate) fn set_error(&self, error: Option<String>) {
        *lock(&self.error) = error;
    }

    /// Pauses background work, or lets it continue.
    pub(crate) fn set_paused(&self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::Relaxed);
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.is_paused.load(Ordering::Relaxed)
    }

    pub(crate) fn set_missed_edits(&self, has_missed: bool) {
        self.has_missed_edits.store(has_missed, Ordering::Relaxed);
    }

    pub(crate) fn has_missed_edits(&self) -> bool {
        self.has_missed_edits.load(Ordering::Relaxed)
    }

    pub(crate) fn set_removed(&self, is_removed: bool) {
        self.is_removed.store(is_removed, Ordering::Relaxed);
    }

    pub(crate) fn is_removed(&self) -> bool {
        self.is_removed.load(Ordering::Relaxed)
    }

    /// Called with a token when a structure pass begins, and with `None` when it ends.
    pub(crate) fn set_structure_pass(&self, token: Option<CancelToken>) {
        lock(&self.structure_pass).token = token;
    }

    /// Ends the structure pass in progress, for a search that needs some files read first. False if there is none, or
    /// if one was interrupted a moment ago.
    pub(crate) fn interrupt_structure_pass(&self) -> bool {
        let mut pass = lock(&self.structure_pass);
        if pass.last_interrupt.is_some_and(|last| last.elapsed() < INTERRUPT_EVERY) {
            return false;
        }
        let Some(token) = pass.token.take() else { return false };
        token.cancel();
        pass.last_interrupt = Some(Instant::now());
        true
    }

    /// The error as a sentence for users.
    pub(crate) fn note(&self) -> Option<String> {
        let error = lock(&self.error).clone()?;
        Some(format!("The index could not be updated in the background: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_interrupted_now_and_then() {
        let (state, first, second) = (WatchState::default(), CancelToken::default(), CancelToken::default());
        assert!(!state.interrupt_structure_pass(), "there is none");
        state.set_structure_pass(Some(first.clone()));
        assert!(state.interrupt_structure_pass() && first.is_cancelled());
        state.set_structure_pass(Some(second.clone()));
        assert!(!state.interrupt_structure_pass() && !second.is_cancelled());
    }
}
