//! Limits how many parses may use much memory: one at a time, over all parser processes of this process.

use std::sync::{Condvar, Mutex, PoisonError};

use vectorcode_core::lock;

/// How many parses may be large at the same time.
const LARGE_PARSES: usize = 1;

static TAKEN: Mutex<usize> = Mutex::new(0);
static IS_FREE: Condvar = Condvar::new();

/// Permission for a large parse. Released when dropped, also if the parser process that has it dies.
#[derive(Debug)]
pub(super) struct LargeParsePermit;

impl LargeParsePermit {
    /// A holder never waits for anything else, so every waiter gets its permit.
    pub fn wait() -> Self {
        let taken = lock(&TAKEN);
        let mut taken =
            IS_FREE.wait_while(taken, |taken| *taken == LARGE_PARSES).unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Self
    }
}

impl Drop for LargeParsePermit {
    fn drop(&mut self) {
        *lock(&TAKEN) -= 1;
        IS_FREE.notify_one();
    }
}
