//! What the index is doing right now, for those who ask while it is doing it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use vectorcode_core::api::Activity;
use vectorcode_core::{CancelToken, Phase, Progress, ProgressSink};

/// Holds the newest progress of the run under way, and the token that stops it.
#[derive(Debug, Default)]
pub(crate) struct ActivityBoard {
    run: Mutex<Option<Run>>,
}

#[derive(Debug)]
struct Run {
    cancel: CancelToken,
    progress: Option<Progress>,
}

impl ActivityBoard {
    pub(crate) fn current(&self) -> Activity {
        match self.lock().as_ref() {
            None => Activity::Idle,
            Some(run) => running(run.progress.as_ref()),
        }
    }

    /// Asks the run under way to stop; false when there is none.
    pub(crate) fn cancel(&self) -> bool {
        self.lock().as_ref().inspect(|run| run.cancel.cancel()).is_some()
    }

    /// Shows a run until the guard goes.
    pub(crate) fn begin(&self, cancel: &CancelToken) -> RunGuard<'_> {
        *self.lock() = Some(Run { cancel: cancel.clone(), progress: None });
        RunGuard { board: self }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Run>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn running(progress: Option<&Progress>) -> Activity {
    let phase = match progress.map(|progress| progress.phase) {
        None | Some(Phase::Discover) => "discovering files",
        Some(Phase::Chunk) => "chunking",
        Some(Phase::Embed) => "embedding",
    };
    Activity::Running {
        phase: phase.into(),
        done: progress.map_or(0, |progress| progress.done),
        total: progress.map_or(0, |progress| progress.total),
        per_second: progress.map_or(0.0, Progress::rate),
    }
}

pub(crate) struct RunGuard<'b> {
    board: &'b ActivityBoard,
}

impl RunGuard<'_> {
    /// A sink that keeps the board up to date and passes every report on.
    pub(crate) fn tee<'s>(&'s self, next: &'s dyn ProgressSink) -> impl ProgressSink + 's {
        move |progress: &Progress| {
            if let Some(run) = self.board.lock().as_mut() {
                run.progress = Some(progress.clone());
            }
            next.report(progress);
        }
    }
}

impl Drop for RunGuard<'_> {
    fn drop(&mut self) {
        *self.board.lock() = None;
    }
}
