//! Threads that each do whole pieces of work.
//!
//! The kernels of `rten-gemm` split a product over all threads of the pool that they run in. Splitting work by
//! sequences instead costs less, so every worker is a pool of one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

pub(super) struct Workers {
    pools: Vec<ThreadPool>,
    /// Spreads single pieces of work over the pools.
    turn: AtomicUsize,
}

impl Workers {
    pub(super) fn new(threads: usize) -> Result<Self, String> {
        let pool = |number| {
            let name = move |_| format!("embed-{number}");
            ThreadPoolBuilder::new().num_threads(1).thread_name(name).build()
        };
        let pools = (0..threads).map(pool).collect::<Result<_, _>>();
        Ok(Self { pools: pools.map_err(|error| error.to_string())?, turn: AtomicUsize::new(0) })
    }

    /// The results of `work` for each of `items`, in order. Workers take items one at a time, so that another caller
    /// never waits longer than for one of them; each keeps a `scratch` for this call.
    pub(super) fn map<T: Sync, R: Send, S: Send>(
        &self,
        items: &[T],
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&T, &mut S) -> R + Sync,
    ) -> Vec<R> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::with_capacity(items.len()));
        let run = |pool: &ThreadPool| {
            let mut scratch = scratch();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(index) else { break };
                let result = pool.install(|| work(item, &mut scratch));
                results.lock().expect("no worker panics while it holds the lock").push((index, result));
            }
        };
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let pools = self.pools.iter().cycle().skip(first % self.pools.len());
        let mut pools = pools.take(self.pools.len().min(items.len()));
        thread::scope(|scope| {
            let own = pools.next();
            for pool in pools {
                scope.spawn(|| run(pool));
            }
            own.into_iter().for_each(run);
        });
        let mut results = results.into_inner().expect("no worker panics while it holds the lock");
        results.sort_unstable_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
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
