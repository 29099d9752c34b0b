//! Two things at once.

use std::panic::resume_unwind;
use std::thread;

/// The first on a thread of its own. Worth it where both take a millisecond: a thread costs some hundredths.
pub(super) fn at_once<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join().unwrap_or_else(|panic| resume_unwind(panic)), other)
    })
}
