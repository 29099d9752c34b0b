//! The best `k` of many scored rows: a bounded binary heap that also keeps the rows that tie with the last one. Row ids depend on
//! the order of edits, so ties are broken later, by location, when the locations of these few rows are known.

#![expect(
    clippy::inline_always,
    reason = "code that is not inlined into the vector scan is not compiled for its instruction set"
)]

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::contract::ChunkRow;

/// A row of a ranked list. A higher score is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scored {
    pub row: ChunkRow,
    pub score: f32,
}

/// Keeps the best `k` rows that it is offered, and those that tie with the last of them.
#[derive(Debug)]
pub(crate) struct TopK {
    k: usize,
    heap: BinaryHeap<Reverse<Ranked>>,
    /// The lowest score in a full heap. Lower scores are not kept.
    least: f32,
    /// Rows with the lowest score that did not fit.
    tied: Vec<ChunkRow>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Ranked(Scored);

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.score.total_cmp(&other.0.score).then_with(|| other.0.row.cmp(&self.0.row))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Default for TopK {
    fn default() -> Self {
        Self::new(0)
    }
}

impl TopK {
    pub fn new(k: usize) -> Self {
        Self {
            k,
            heap: BinaryHeap::with_capacity(k.min(1024) + 1),
            least: f32::NEG_INFINITY,
            tied: Vec::new(),
        }
    }

    /// The lowest score that is kept; minus infinity while there are fewer than `k`.
    #[inline(always)]
    pub fn least(&self) -> f32 {
        self.least
    }

    /// Inlined, because most offers are rejected.
    #[inline(always)]
    pub fn offer(&mut self, row: ChunkRow, score: f32) {
        if score >= self.least {
            self.keep(row, score);
        }
    }

    #[inline(never)]
    fn keep(&mut self, row: ChunkRow, score: f32) {
        let candidate = Reverse(Ranked(Scored { row, score }));
        if self.heap.len() < self.k {
            self.heap.push(candidate);
        } else if score > self.least {
            self.replace_worst(candidate);
        } else {
            self.tied.push(row);
        }
        if let Some(Reverse(Ranked(worst))) = self.heap.peek()
            && self.heap.len() >= self.k
        {
            if worst.score > self.least {
                self.tied.clear();
            }
            self.least = worst.score;
        }
    }

    fn replace_worst(&mut self, candidate: Reverse<Ranked>) {
        if let Some(mut worst) = self.heap.peek_mut() {
            let Reverse(Ranked(evicted)) = std::mem::replace(&mut *worst, candidate);
            drop(worst);
            self.tied.push(evicted.row);
        }
    }

    /// The best rows, best first. Row ids only reflect the order of writing, so rows that tie for the last places are ordered by
    /// `sort`.
    pub fn into_sorted<E>(
        self,
        sort: impl FnOnce(&mut Vec<ChunkRow>) -> Result<(), E>,
    ) -> Result<Vec<Scored>, E> {
        let ranked = self.heap.into_sorted_vec().into_iter();
        let mut best: Vec<Scored> = ranked.map(|Reverse(Ranked(scored))| scored).collect();
        if !self.tied.is_empty() {
            let above = best.partition_point(|scored| scored.score > self.least);
            let mut last: Vec<ChunkRow> = best.drain(above..).map(|scored| scored.row).collect();
            last.extend(self.tied);
            sort(&mut last)?;
            last.truncate(self.k - above);
            best.extend(last.into_iter().map(|row| Scored { row, score: self.least }));
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn top_k_is_the_front_of_the_sorted_list(
            scores in prop::collection::vec(-3_i8..3, 0..60),
            k in 0_usize..12,
        ) {
            let mut best = TopK::new(k);
            let mut all: Vec<Scored> = Vec::new();
            for (row, score) in scores.iter().enumerate() {
                // Ties go to the higher row here, the opposite of the order in which they are offered.
                let (row, score) = (ChunkRow(row as i64), f32::from(*score));
                best.offer(row, score);
                all.push(Scored { row, score });
            }
            all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.row.cmp(&a.row)));
            all.truncate(k);
            let found = best.into_sorted(|rows| {
                rows.sort_by(|a, b| b.cmp(a));
                Ok::<_, std::convert::Infallible>(())
            });
            let rows = |list: Vec<Scored>| {
                let mut rows: Vec<ChunkRow> = list.into_iter().map(|scored| scored.row).collect();
                rows.sort_unstable();
                rows
            };
            prop_assert_eq!(rows(found.unwrap()), rows(all));
        }
    }
}
