//! Two things at once.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Runs the first on a thread of its own, or after the other where the system has no thread left. Worth it where both take a
/// millisecond: a thread costs some hundredths.
pub fn at_once<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    // A thread that cannot be started drops its work: it takes the work from here when it runs.
    let work = Mutex::new(Some(one));
    let run = || {
        let one = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        one.map(|one| one())
    };
    let (one, other) = thread::scope(|scope| {
        let one = thread::Builder::new().spawn_scoped(scope, run);
        let other = other();
        (one.ok().and_then(|one| one.join().unwrap_or_else(|panic| resume_unwind(panic))), other)
    });
    (one.or_else(run).expect("one of the two threads has run it"), other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_run_and_a_panic_is_passed_on() {
        assert_eq!(at_once(|| 1, || 2), (1, 2));
        let panicked = std::panic::catch_unwind(|| at_once(|| panic!("told to"), || 2).1);
        assert!(panicked.is_err());
    }
}
