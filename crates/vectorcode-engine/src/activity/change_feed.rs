//! Collects changed paths until the tree has been quiet for a while (debouncing), in bounded memory.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use vectorcode_core::{CancelToken, lock};

/// With more changed paths than this, the whole tree is compared with the index instead, which is faster than
/// checking each path. Fewer on Windows: a burst may have overflowed the system's event buffer, which `notify` does
/// not report.
const MAX_PATHS: usize = if cfg!(windows) { 32 } else { 1000 };

/// Up to this many files are taken for an edit by a person or an agent, not for a checkout or a build. They are
/// indexed after a fifth of the debounce setting, a tenth of a second by default. More changes within that time are a
/// burst, which waits for the full setting and is indexed in one pass. Half a second is enough: programs that write
/// many files do not pause that long, and if one does, two passes cost little, because a pass costs only what
/// changed. A setting of two seconds took two fifths of the time allowed for a branch switch.
const FEW_PATHS: usize = 8;
const FEW_QUIET: u32 = 5;

/// A program that writes without pause must not keep other changes out of the index: they wait at most this many
/// times the setting.
const LONGEST_WAIT: u32 = 20;

/// What has changed since the changes were last taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Changes {
    #[default]
    None,
    Paths(BTreeSet<PathBuf>),
    /// Too many changes to list, or unknown ones.
    Everything,
}

impl Changes {
    fn add(&mut self, path: PathBuf) {
        match self {
            Self::None => *self = Self::Paths(BTreeSet::from([path])),
            Self::Everything => {}
            Self::Paths(paths) => {
                paths.insert(path);
                if paths.len() > MAX_PATHS {
                    *self = Self::Everything;
                }
            }
        }
    }

    /// How long there must be no further change before these are taken, given the debounce setting.
    fn quiet_time(&self, quiet: Duration) -> Duration {
        match self {
            Self::Paths(paths) if paths.len() <= FEW_PATHS => quiet / FEW_QUIET,
            _ => quiet,
        }
    }

    fn merge(&mut self, other: Self) {
        match other {
            Self::None => {}
            Self::Everything => *self = Self::Everything,
            Self::Paths(paths) => paths.into_iter().for_each(|path| self.add(path)),
        }
    }
}

/// Shared by the operating system's watcher, which adds changes, and the keeper, which takes them.
#[derive(Debug, Default)]
pub(crate) struct ChangeFeed {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    changes: Changes,
    /// Changes that were taken and are not in the index yet.
    in_progress: Changes,
    /// Something was added since changes were last taken. Stays false when changes are put back after a failure, so
    /// that they are retried after a pause and not at once.
    has_new: bool,
    /// When the oldest change that has not been taken yet was added.
    first_change: Option<Instant>,
    last_change: Option<Instant>,
    /// Cancelled when something changes, so that embedding stops and the change is indexed first.
    interrupt: Option<CancelToken>,
    /// The token of the current task. Cancelled when the feed is closed, but not by changes.
    task: Option<CancelToken>,
    /// Set when the keeper stops; ends every wait.
    is_closed: bool,
}

impl State {
    /// `None` when the changes can be taken.
    fn time_to_wait(&self, setting: Duration) -> Option<Duration> {
        let quiet = self.changes.quiet_time(setting).checked_sub(self.last_change?.elapsed())?;
        let longest = (setting * LONGEST_WAIT).checked_sub(self.first_change?.elapsed())?;
        Some(quiet.min(longest))
    }
}

impl ChangeFeed {
    pub(crate) fn add(&self, path: PathBuf) {
        self.change(|changes| changes.add(path));
    }

    /// For the start, for lost events and for changed ignore rules. Taken without waiting for a quiet time.
    pub(crate) fn add_everything(&self) {
        let mut state = self.lock();
        state.changes = Changes::Everything;
        state.has_new = true;
        interrupt(&mut state);
        self.changed.notify_all();
    }

    /// The changes that were taken are now in the index.
    pub(crate) fn done(&self) {
        self.lock().in_progress = Changes::None;
    }

    /// The changes that were taken could not be indexed; they will be taken again.
    pub(crate) fn put_back(&self) {
        let mut state = self.lock();
        let taken = std::mem::take(&mut state.in_progress);
        state.changes.merge(taken);
    }

    /// All changes that are not in the index yet.
    pub(crate) fn pending(&self) -> Changes {
        let state = self.lock();
        let mut all = state.changes.clone();
        all.merge(state.in_progress.clone());
        all
    }

    /// Takes all changes once the tree has been quiet; `Changes::None` if there are none.
    pub(crate) fn take_quiet(&self, setting: Duration) -> Changes {
        let mut state = self.lock();
        loop {
            let Some(rest) = state.time_to_wait(setting) else {
                (state.first_change, state.last_change, state.has_new) = (None, None, false);
                state.in_progress = std::mem::take(&mut state.changes);
                return state.in_progress.clone();
            };
            if state.is_closed {
                return Changes::None;
            }
            state = self.wait_in(state, rest);
        }
    }

    /// Sleeps until something new changes or the time is over. True if something changed; changes that were put back
    /// do not count.
    pub(crate) fn pause_until_change(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while !state.is_closed && !state.has_new {
            let Some(rest) = until.checked_duration_since(Instant::now()) else { return false };
            state = self.wait_in(state, rest);
        }
        true
    }

    /// Sleeps until the time is over or the feed is closed.
    pub(crate) fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while !state.is_closed {
            let Some(rest) = until.checked_duration_since(Instant::now()) else { return };
            state = self.wait_in(state, rest);
        }
    }

    /// Ends the current pause, because the keeper may have something to do.
    pub(crate) fn wake(&self) {
        let mut state = self.lock();
        state.has_new = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Ends every wait permanently, because the keeper stops.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        interrupt(&mut state);
        if let Some(task) = state.task.take() {
            task.cancel();
        }
        self.changed.notify_all();
    }

    /// A token that is cancelled when the feed is closed.
    pub(crate) fn task_token(&self, stop: &CancelToken) -> CancelToken {
        let token = CancelToken::default();
        let mut state = self.lock();
        if stop.is_cancelled() || state.is_closed {
            token.cancel();
        }
        state.task = Some(token.clone());
        token
    }

    /// A token that is cancelled by the next change, by `stop`, or when `slice` is over.
    pub(crate) fn token_until_change(&self, slice: Duration, stop: &CancelToken) -> CancelToken {
        let token = CancelToken::expiring(slice);
        let mut state = self.lock();
        if stop.is_cancelled() || state.changes != Changes::None {
            token.cancel();
        }
        state.interrupt = Some(token.clone());
        token
    }

    fn change(&self, change: impl FnOnce(&mut Changes)) {
        let mut state = self.lock();
        change(&mut state.changes);
        state.has_new = true;
        let now = Instant::now();
        state.first_change.get_or_insert(now);
        state.last_change = Some(now);
        interrupt(&mut state);
        self.changed.notify_all();
    }

    fn wait_in<'s>(&self, state: MutexGuard<'s, State>, time: Duration) -> MutexGuard<'s, State> {
        self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn interrupt(state: &mut State) {
    if let Some(token) = state.interrupt.take() {
        token.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_paths_become_everything() {
        let feed = ChangeFeed::default();
        for number in 0..=MAX_PATHS {
            feed.add(PathBuf::from(format!("{number}.rs")));
        }
        assert_eq!(feed.take_quiet(Duration::ZERO), Changes::Everything);
        assert_eq!(feed.take_quiet(Duration::ZERO), Changes::None);
    }

    #[test]
    fn few_changes_wait_a_part_of_the_time_that_many_do() {
        let quiet = Duration::from_millis(500);
        let paths = |count| Changes::Paths((0..count).map(|n| PathBuf::from(format!("{n}.rs"))).collect());
        assert_eq!(paths(1).quiet_time(quiet), Duration::from_millis(100));
        assert_eq!(paths(FEW_PATHS).quiet_time(quiet), Duration::from_millis(100));
        assert_eq!(paths(FEW_PATHS + 1).quiet_time(quiet), Duration::from_millis(500));
        assert_eq!(Changes::Everything.quiet_time(quiet), Duration::from_millis(500));
    }

    #[test]
    fn changes_that_never_cease_are_taken_in_the_end() {
        let ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds));
        let setting = Duration::from_millis(500);
        let mut state = State { first_change: ago(1), last_change: Some(Instant::now()), ..State::default() };
        state.changes.add(PathBuf::from("a.log"));
        assert!(state.time_to_wait(setting).is_some());
        state.first_change = ago(11);
        assert_eq!(state.time_to_wait(setting), None);
    }

    #[test]
    fn a_change_interrupts_embedding() {
        let feed = ChangeFeed::default();
        let token = feed.token_until_change(Duration::from_hours(1), &CancelToken::default());
        assert!(!token.is_cancelled());
        feed.add(PathBuf::from("a.rs"));
        assert!(token.is_cancelled());
        assert!(feed.token_until_change(Duration::from_hours(1), &CancelToken::default()).is_cancelled());
    }

    #[test]
    fn changes_that_failed_are_taken_again() {
        let feed = ChangeFeed::default();
        feed.add(PathBuf::from("a.rs"));
        feed.take_quiet(Duration::ZERO);
        feed.put_back();
        feed.add(PathBuf::from("b.rs"));
        let both = BTreeSet::from([PathBuf::from("a.rs"), PathBuf::from("b.rs")]);
        assert_eq!(feed.take_quiet(Duration::ZERO), Changes::Paths(both));
    }

    #[test]
    fn changes_being_indexed_are_pending_until_they_are_done() {
        let feed = ChangeFeed::default();
        feed.add(PathBuf::from("a.rs"));
        let taken = feed.take_quiet(Duration::ZERO);
        assert_eq!(feed.pending(), taken);
        feed.add(PathBuf::from("b.rs"));
        feed.done();
        assert_eq!(feed.pending(), Changes::Paths(BTreeSet::from([PathBuf::from("b.rs")])));
    }

    #[test]
    fn only_new_changes_end_a_pause() {
        let feed = ChangeFeed::default();
        feed.add(PathBuf::from("a.rs"));
        feed.take_quiet(Duration::ZERO);
        feed.put_back();
        assert!(!feed.pause_until_change(Duration::ZERO));
        feed.add(PathBuf::from("b.rs"));
        assert!(feed.pause_until_change(Duration::from_hours(1)));
    }
}
