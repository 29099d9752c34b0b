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
        interrupt(&mut state);
        self.changed.notify_all();
    }

    /// What was taken but could not be worked off.
    pub(crate) fn put_back(&self, changes: &Changes) {
        let mut state = self.lock();
        match changes {
            Changes::None => {}
            Changes::Everything => state.changes = Changes::Everything,
            Changes::Paths(paths) => paths.iter().for_each(|path| state.changes.add(path.clone())),
        }
    }

    /// Takes all changes once none has come for `quiet`; nothing when there are none.
    pub(crate) fn take_quiet(&self, quiet: Duration) -> Changes {
        let mut state = self.lock();
        loop {
            let Some(rest) = state.last_change.and_then(|at| quiet.checked_sub(at.elapsed())) else {
                state.last_change = None;
                return std::mem::take(&mut state.changes);
            };
            if state.woken {
                return Changes::None;
            }
            state = self.wait_in(state, rest);
        }
    }

    /// Returns when something changes or [`Collector::wake`] is called.
    pub(crate) fn wait(&self) {
        let mut state = self.lock();
        while state.changes == Changes::None && !state.woken {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
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
        let taken = collector.take_quiet(Duration::ZERO);
        collector.put_back(&taken);
        collector.add(PathBuf::from("b.rs"));
        let both = BTreeSet::from([PathBuf::from("a.rs"), PathBuf::from("b.rs")]);
        assert_eq!(collector.take_quiet(Duration::ZERO), Changes::Paths(both));
    }
}
