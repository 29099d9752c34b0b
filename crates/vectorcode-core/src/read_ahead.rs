//! Prefetching: touching memory shortly before it is needed.
//!
//! A question reads some thousand vectors and facts from scattered addresses. Read one after the other, each costs a cache miss;
//! if several are touched first, their misses overlap.

use std::hint::black_box;

/// How many things are worth touching before the first of them is used: a core waits for a dozen cache lines at a time, or a few more.
pub const TOGETHER: usize = 8;

const CACHE_LINE: usize = 64;

/// Reads something of each cache line.
pub fn touch<T: Copy>(items: &[T]) {
    let step = (CACHE_LINE / size_of::<T>().max(1)).max(1);
    for item in items.iter().step_by(step) {
        black_box(*item);
    }
}
