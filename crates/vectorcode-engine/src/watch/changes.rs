//! Gathers changed paths until the tree has been quiet for a while, in bounded memory.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use vectorcode_core::CancelToken;

/// More changed paths than this are not worth naming: the whole tree is compared instead. On Windows a burst may have been
/// too much for the system's buffer of events, and `notify` does not tell when it was.
const MOST_PATHS: usize = if cfg!(windows) { 32 } else { 1000 };

/// What changed since it was last asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Changes {
    #[default]
    None,
    Paths(BTreeSet<PathBuf>),
    /// Too much to name, or unknown.
    Everything,
}

impl Changes {
    fn add(&mut self, path: PathBuf) {
        match self {
            Self::None => *self = Self::Paths(BTreeSet::from([path])),
            Self::Everything => {}
            Self::Paths(paths) => {
                paths.insert(path);
                if paths.len() > MOST_PATHS {
                    *self = Self::Everything;
                }
            }
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

/// Shared by the operating system's watcher, which adds, and the keeper, which takes.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    changes: Changes,
    /// What was taken and is not done yet.
    in_work: Changes,
    /// Something changed since it was last taken.
    news: bool,
    last_change: Option<Instant>,
    /// Cancelled when something changes: embedding makes way.
    interrupt: Option<CancelToken>,
    woken: bool,
}

impl Collector {
    pub(crate) fn add(&self, path: PathBuf) {
        self.change(|changes| changes.add(path));
    }

    /// For the start, for lost events and for changed rules. Needs no quiet time of its own.
    pub(crate) fn add_everything(&self) {
        let mut state = self.lock();
        state.changes = Changes::Everything;
        state.news = true;
        interrupt(&mut state);
        self.changed.notify_all();
    }

    /// What was taken is in the index.
    pub(crate) fn done(&self) {
        self.lock().in_work = Changes::None;
    }

    /// What was taken could not be worked off, and is to be taken again.
    pub(crate) fn put_back(&self) {
        let mut state = self.lock();
        let taken = std::mem::take(&mut state.in_work);
        state.changes.merge(taken);
    }

    /// All that has changed and is not in the index yet.
    pub(crate) fn outstanding(&self) -> Changes {
        let state = self.lock();
        let mut all = state.changes.clone();
        all.merge(state.in_work.clone());
        all
    }

    /// Takes all changes once none has come for `quiet`; nothing when there are none.
    pub(crate) fn take_quiet(&self, quiet: Duration) -> Changes {
        let mut state = self.lock();
        loop {
            let Some(rest) = state.last_change.and_then(|at| quiet.checked_sub(at.elapsed())) else {
                (state.last_change, state.news) = (None, false);
                state.in_work = std::mem::take(&mut state.changes);
                return state.in_work.clone();
            };
            if state.woken {
                return Changes::None;
            }
            state = self.wait_in(state, rest);
        }
    }

    /// Sleeps until something new changes, or the time is over; true unless it is. What was put back is not new.
    pub(crate) fn pause_until_change(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while !state.woken && !state.news {
            let Some(rest) = until.checked_duration_since(Instant::now()) else { return false };
            state = self.wait_in(state, rest);
        }
        true
    }

    /// Sleeps, but not through [`Collector::wake`].
    pub(crate) fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while !state.woken {
            let Some(rest) = until.checked_duration_since(Instant::now()) else { return };
            state = self.wait_in(state, rest);
        }
    }

    /// Ends every wait for good: the keeper is to stop.
    pub(crate) fn wake(&self) {
        let mut state = self.lock();
        state.woken = true;
        interrupt(&mut state);
        self.changed.notify_all();
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
        state.news = true;
        state.last_change = Some(Instant::now());
        interrupt(&mut state);
        self.changed.notify_all();
    }

    fn wait_in<'s>(&self, state: MutexGuard<'s, State>, time: Duration) -> MutexGuard<'s, State> {
        self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
        let collector = Collector::default();
        for number in 0..=MOST_PATHS {
            collector.add(PathBuf::from(format!("{number}.rs")));
        }
        assert_eq!(collector.take_quiet(Duration::ZERO), Changes::Everything);
        assert_eq!(collector.take_quiet(Duration::ZERO), Changes::None);
    }

    #[test]
    fn a_change_interrupts_embedding() {
        let collector = Collector::default();
        let token = collector.token_until_change(Duration::from_hours(1), &CancelToken::default());
        assert!(!token.is_cancelled());
        collector.add(PathBuf::from("a.rs"));
        assert!(token.is_cancelled());
        assert!(
            collector.token_until_change(Duration::from_hours(1), &CancelToken::default()).is_cancelled()
        );
    }

    #[test]
    fn what_failed_is_taken_again() {
        let collector = Collector::default();
        collector.add(PathBuf::from("a.rs"));
        collector.take_quiet(Duration::ZERO);
        collector.put_back();
        collector.add(PathBuf::from("b.rs"));
        let both = BTreeSet::from([PathBuf::from("a.rs"), PathBuf::from("b.rs")]);
        assert_eq!(collector.take_quiet(Duration::ZERO), Changes::Paths(both));
    }

    #[test]
    fn what_is_being_worked_off_is_outstanding_until_it_is_done() {
        let collector = Collector::default();
        collector.add(PathBuf::from("a.rs"));
        let taken = collector.take_quiet(Duration::ZERO);
        assert_eq!(collector.outstanding(), taken);
        collector.add(PathBuf::from("b.rs"));
        collector.done();
        assert_eq!(collector.outstanding(), Changes::Paths(BTreeSet::from([PathBuf::from("b.rs")])));
    }

    #[test]
    fn only_what_is_new_ends_a_pause() {
        let collector = Collector::default();
        collector.add(PathBuf::from("a.rs"));
        collector.take_quiet(Duration::ZERO);
        collector.put_back();
        assert!(!collector.pause_until_change(Duration::ZERO));
        collector.add(PathBuf::from("b.rs"));
        assert!(collector.pause_until_change(Duration::from_hours(1)));
    }
}
