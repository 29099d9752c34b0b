//! What the watcher of this process reports to the engine: which changes are not indexed yet, and the error that keeps the
//! index from being updated, and whether somebody stopped the work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::change_feed::{ChangeFeed, Changes};

/// Shared by the engine, which reads it, and the watcher, which writes it. Empty while this process does not watch.
#[derive(Debug, Default)]
pub(crate) struct WatchState {
    feed: Mutex<Option<Arc<ChangeFeed>>>,
    error: Mutex<Option<String>>,
    /// A caller cancelled the background work.
    is_held: AtomicBool,
    /// The index was deleted while this process served it.
    is_removed: AtomicBool,
}

impl WatchState {
    /// Every change of the tree is in `feed` from now on; `None`: changes may go unnoticed.
    pub(crate) fn set_feed(&self, feed: Option<Arc<ChangeFeed>>) {
        *lock(&self.feed) = feed;
    }

    /// Whether this process sees every change of the tree.
    pub(crate) fn has_feed(&self) -> bool {
        lock(&self.feed).is_some()
    }

    /// What may have changed since it was indexed: everything, where no feed sees all changes.
    pub(crate) fn pending_changes(&self) -> Changes {
        lock(&self.feed).as_ref().map_or(Changes::Everything, |feed| feed.pending())
    }

    /// Why the last background update failed; `None` after one that did not.
    pub(crate) fn set_error(&self, error: Option<String>) {
        *lock(&self.error) = error;
    }

    /// Background work stops, or may go on.
    pub(crate) fn set_held(&self, is_held: bool) {
        self.is_held.store(is_held, Ordering::Relaxed);
    }

    pub(crate) fn is_held(&self) -> bool {
        self.is_held.load(Ordering::Relaxed)
    }

    pub(crate) fn set_removed(&self, is_removed: bool) {
        self.is_removed.store(is_removed, Ordering::Relaxed);
    }

    pub(crate) fn is_removed(&self) -> bool {
        self.is_removed.load(Ordering::Relaxed)
    }

    /// The error as a sentence for people.
    pub(crate) fn note(&self) -> Option<String> {
        let error = lock(&self.error).clone()?;
        Some(format!("The index could not be updated in the background: {error}"))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
