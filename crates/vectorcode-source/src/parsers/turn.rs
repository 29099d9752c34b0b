//! Who may take much memory: one parse at a time, of all parser processes of this process.

use std::sync::{Condvar, Mutex, PoisonError};

/// As many parses may be large at a time.
const LARGE_PARSES: usize = 1;

static TAKEN: Mutex<usize> = Mutex::new(0);
static IS_FREE: Condvar = Condvar::new();

/// Given back when dropped, which is also when the process that had it dies.
#[derive(Debug)]
pub(super) struct Turn;

impl Turn {
    /// Nobody who has a turn waits for anything else, so everybody gets one.
    pub fn wait() -> Self {
        let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken =
            IS_FREE.wait_while(taken, |taken| *taken == LARGE_PARSES).unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        IS_FREE.notify_one();
    }
}
