//! Runs two closures in parallel.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread;

use crate::lock;

/// Runs `one` on another thread while this one runs `other`. If no thread can be started, they run one after the other. Worth
/// it if both take at least a millisecond: starting a thread costs some hundredths of one.
pub fn join<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    // If the thread cannot be started, its closure is dropped. So the work stays here, and the thread takes it when it runs.
    let work = Mutex::new(Some(one));
    let run = || {
        let one = lock(&work).take();
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
        assert_eq!(join(|| 1, || 2), (1, 2));
        let panicked = std::panic::catch_unwind(|| join(|| panic!("told to"), || 2).1);
        assert!(panicked.is_err());
    }
}
