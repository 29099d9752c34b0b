//! The index runs in progress, for status requests of this process and of others.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use vectorcode_core::api::Activity;
use vectorcode_core::{Phase, Progress, ProgressSink, lock};

use super::published::{ActivityFile, PublishedActivity};

/// The latest progress of each run. There may be two runs: one embeds while another reads files.
#[derive(Debug)]
pub(crate) struct ActivityBoard {
    /// In the order in which they began; the last one is shown.
    runs: Mutex<Vec<Run>>,
    begun: AtomicU64,
    file: ActivityFile,
}

#[derive(Debug)]
struct Run {
    number: u64,
    progress: Option<Progress>,
}

impl ActivityBoard {
    pub(crate) fn new(index_directory: &Path) -> Self {
        let file = ActivityFile::in_directory(index_directory);
        Self { runs: Mutex::default(), begun: AtomicU64::default(), file }
    }

    /// What some process published last, whether it is still running or not.
    pub(crate) fn published(&self) -> Option<PublishedActivity> {
        self.file.read()
    }

    pub(crate) fn delete_file(&self) {
        self.file.delete();
    }

    /// The activity of this process.
    pub(crate) fn current(&self) -> Activity {
        match self.lock().last() {
            None => Activity::Idle,
            Some(run) => running(run.progress.as_ref()),
        }
    }

    /// Registers a run until the guard is dropped.
    pub(crate) fn begin(&self) -> RunGuard<'_> {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        self.lock().push(Run { number, progress: None });
        RunGuard { board: self, number }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Run>> {
        lock(&self.runs)
    }
}

fn running(progress: Option<&Progress>) -> Activity {
    Activity::Running {
        phase: progress.map_or(Phase::Discover, |progress| progress.phase),
        done: progress.map_or(0, |progress| progress.done),
        total: progress.map_or(0, |progress| progress.total),
        per_second: progress.map_or(0.0, Progress::rate),
        process: None,
    }
}

pub(crate) struct RunGuard<'b> {
    board: &'b ActivityBoard,
    number: u64,
}

impl RunGuard<'_> {
    /// A sink that updates the board and passes every report on.
    pub(crate) fn tee<'s>(&'s self, next: &'s dyn ProgressSink) -> impl ProgressSink + 's {
        move |progress: &Progress| {
            if let Some(run) = self.board.lock().iter_mut().find(|run| run.number == self.number) {
                run.progress = Some(progress.clone());
            }
            self.board.file.publish(&self.board.current());
            next.report(progress);
        }
    }
}

impl Drop for RunGuard<'_> {
    fn drop(&mut self) {
        let mut runs = self.board.lock();
        runs.retain(|run| run.number != self.number);
        if runs.is_empty() {
            self.board.file.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use vectorcode_core::SilentProgress;

    use super::*;

    fn phase(board: &ActivityBoard) -> Option<Phase> {
        match board.current() {
            Activity::Idle => None,
            Activity::Running { phase, .. } => Some(phase),
        }
    }

    #[test]
    fn a_run_within_another_is_shown_until_it_ends() {
        let directory = tempfile::tempdir().unwrap();
        let board = ActivityBoard::new(directory.path());
        let outer = board.begin();
        let progress = Progress {
            phase: Phase::Embed,
            done: 1,
            total: 2,
            bytes: 0,
            chunks: None,
            elapsed: Duration::ZERO,
        };
        outer.tee(&SilentProgress).report(&progress);
        let inner = board.begin();
        assert_eq!(phase(&board), Some(Phase::Discover));
        drop(inner);
        assert_eq!(phase(&board), Some(Phase::Embed));
        drop(outer);
        assert_eq!(phase(&board), None);
    }
}
