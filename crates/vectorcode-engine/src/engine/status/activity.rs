//! Which work is running on the index, in this process or another, and how to stop it.

use vectorcode_core::Phase;
use vectorcode_core::api::Activity;
use vectorcode_store::{LockRole, process_label};

use super::Engine;

impl Engine {
    /// The run of this process, or else that of another process.
    pub fn activity(&self) -> Activity {
        match self.activity.current() {
            Activity::Idle => self.activity_of_others(),
            running @ Activity::Running { .. } => running,
        }
    }

    /// Whether this process is working on the index right now.
    pub fn is_working(&self) -> bool {
        !self.running.is_empty()
    }

    /// Asks all index work of this process to stop at its next safe point. What it has written until then stays.
    pub fn cancel_work(&self) {
        self.running.cancel_all();
    }

    /// Whether a caller cancelled the background work, which stays paused until it is resumed.
    pub fn is_paused(&self) -> bool {
        self.watch_state.is_paused()
    }

    /// Whether the index was deleted while this process was serving it, and has not been created again since.
    pub fn was_removed(&self) -> bool {
        self.watch_state.is_removed() && !self.is_indexed()
    }

    /// Whether another process is deleting the index and waits for this one to close it.
    pub(crate) fn is_being_removed(&self) -> bool {
        self.store.is_locked(LockRole::Remove)
    }

    /// Stops all work and closes the index, which is being deleted or already gone.
    pub(crate) fn close_index(&self) {
        self.cancel_work();
        self.watch_state.set_removed(true);
        self.registration.forget();
        self.forget_reader();
        self.set_had_index(false);
    }

    /// The write lock is often held only for a moment, so it does not mean that a run is in progress; the embedding
    /// lock is held for a whole run.
    fn activity_of_others(&self) -> Activity {
        let [writer, embedder] = [LockRole::Write, LockRole::Embed].map(|role| self.store.holder(role));
        if writer.is_none() && embedder.is_none() {
            return Activity::Idle;
        }
        let own = process_label();
        let published = self.activity.published().filter(|published| {
            let mut holders = [&writer, &embedder].into_iter().flatten();
            published.process != own && holders.any(|holder| *holder == published.process)
        });
        match (published.map(|published| (published.activity, published.process)), embedder) {
            (Some((Activity::Running { phase, done, total, per_second, .. }, process)), _) => {
                Activity::Running { phase, done, total, per_second, process: Some(process) }
            }
            (_, Some(process)) if process != own => {
                let phase = Phase::Embed;
                Activity::Running { phase, done: 0, total: 0, per_second: 0.0, process: Some(process) }
            }
            _ => Activity::Idle,
        }
    }
}
