//! Limits the number of concurrent requests.

use std::sync::{Condvar, Mutex, PoisonError};

use vectorcode_core::lock;

#[derive(Debug)]
pub(super) struct Semaphore {
    free: Mutex<usize>,
    freed: Condvar,
}

/// Permission to send one request; returned on drop.
#[derive(Debug)]
pub(super) struct Permit<'a>(&'a Semaphore);

impl Semaphore {
    pub fn new(permits: usize) -> Self {
        Self { free: Mutex::new(permits.max(1)), freed: Condvar::new() }
    }

    /// Blocks until a permit is free. A panic elsewhere cannot make the count wrong, so a poisoned lock is ignored.
    pub fn acquire(&self) -> Permit<'_> {
        let free = lock(&self.free);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *lock(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn never_more_than_the_permits_are_inside() {
        let (semaphore, inside, most) = (Semaphore::new(3), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    let _permit = semaphore.acquire();
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!(most.into_inner() <= 3);
        assert_eq!(semaphore.free.into_inner().unwrap(), 3);
    }
}
