//! Prefetching: reads memory shortly before it is needed.
//!
//! A search reads thousands of vectors and attributes from scattered addresses. Read one by one, each costs a cache miss; if
//! several are read ahead, their cache misses overlap.

use std::hint::black_box;

/// How many items to read ahead. A core can wait for about a dozen cache lines at a time.
pub const PREFETCH_COUNT: usize = 8;

const CACHE_LINE: usize = 64;

/// Reads one item of each cache line.
pub fn load<T: Copy>(items: &[T]) {
    let step = (CACHE_LINE / size_of::<T>().max(1)).max(1);
    for item in items.iter().step_by(step) {
        black_box(*item);
    }
}
