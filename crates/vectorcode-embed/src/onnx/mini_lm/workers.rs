//! Worker threads, each of which processes whole items.
//!
//! The kernels of `rten-gemm` split a product across all threads of the pool that they run in. Splitting the work by sequences
//! costs less, so every worker is a pool of one thread.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

pub(super) struct Workers {
    pools: Vec<ThreadPool>,
    /// Runs single items, so that a query never waits for the batches of an index run.
    single: ThreadPool,
}

impl Workers {
    pub(super) fn new(threads: usize) -> Result<Self, String> {
        let pools = (0..threads).map(|_| pool_of_one()).collect::<Result<_, _>>()?;
        Ok(Self { pools, single: pool_of_one()? })
    }

    pub(super) fn count(&self) -> usize {
        self.pools.len()
    }

    /// The results of `work` for each of `items`, in order. Every worker creates one `scratch` per call.
    pub(super) fn map<T: Sync, R: Send, S>(
        &self,
        items: &[T],
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&T, &mut S) -> R + Sync,
    ) -> Vec<R> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::with_capacity(items.len()));
        let take_items = || {
            let mut scratch = scratch();
            while let index = next.fetch_add(1, Ordering::Relaxed)
                && let Some(item) = items.get(index)
            {
                let result = work(item, &mut scratch);
                results.lock().expect("no worker panics while it holds the lock").push((index, result));
            }
        };
        match items.len() {
            0 => {}
            1 => self.single.install(take_items),
            items => run_on_all(&self.pools[..self.pools.len().min(items)], &take_items),
        }
        let mut results = results.into_inner().expect("no worker panics while it holds the lock");
        results.sort_unstable_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

fn pool_of_one() -> Result<ThreadPool, String> {
    let pool = ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "embed".into());
    pool.build().map_err(|error| error.to_string())
}

/// Runs `job` once in every pool, concurrently.
fn run_on_all(pools: &[ThreadPool], job: &(dyn Fn() + Sync)) {
    if let Some((pool, others)) = pools.split_first() {
        pool.in_place_scope(|scope| {
            scope.spawn(|_| job());
            run_on_all(others, job);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for threads in 1..4 {
            let workers = Workers::new(threads).unwrap();
            let items: Vec<usize> = (0..50).collect();
            let doubled = workers.map(&items, || 0, |item, _: &mut u8| item * 2);
            assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
            assert!(workers.map(&[], || 0, |item: &u8, _: &mut u8| *item).is_empty());
        }
    }
}
