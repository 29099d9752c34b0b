//! Tracks the score that a row must reach to be among the best.

#![expect(
    clippy::inline_always,
    reason = "code that is not inlined into the vector scan is not compiled for its instruction set"
)]

/// Tracks the `k`-th best of all scores passed to [`Self::record`]. For thousands of scores, a heap would cost more than the scan
/// itself; instead they are collected, and cut back to `k` whenever there are twice as many.
#[derive(Debug)]
pub(crate) struct ScoreFloor {
    k: usize,
    best: Vec<f32>,
    least: f32,
}

impl ScoreFloor {
    pub fn new(k: usize) -> Self {
        Self { k: k.max(1), best: Vec::new(), least: f32::NEG_INFINITY }
    }

    /// A lower bound of the `k`-th best score, and close to it.
    #[inline(always)]
    pub fn lower_bound(&self) -> f32 {
        self.least
    }

    /// The `k`-th best score; minus infinity while there are fewer than `k`.
    pub fn kth_best(&mut self) -> f32 {
        if self.best.len() >= self.k {
            self.cut();
        }
        self.least
    }

    #[inline(always)]
    pub fn record(&mut self, score: f32) {
        if score > self.least {
            self.keep(score);
        }
    }

    #[inline(never)]
    fn keep(&mut self, score: f32) {
        self.best.push(score);
        if self.best.len() >= self.k.saturating_mul(2) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let (_, last, _) = self.best.select_nth_unstable_by(self.k - 1, |one, other| other.total_cmp(one));
        self.least = *last;
        self.best.truncate(self.k);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_floor_is_the_least_of_the_best(scores in prop::collection::vec(-1.0_f32..1.0, 0..200), k in 1_usize..30) {
            let mut floor = ScoreFloor::new(k);
            let mut sorted = Vec::new();
            for score in scores {
                floor.record(score);
                sorted.push(score);
                sorted.sort_by(|one: &f32, other| other.total_cmp(one));
                let least = sorted.get(k - 1).copied().unwrap_or(f32::NEG_INFINITY);
                prop_assert!(floor.lower_bound() <= least);
            }
            let least = sorted.get(k - 1).copied().unwrap_or(f32::NEG_INFINITY);
            prop_assert!(floor.kth_best().total_cmp(&least).is_eq());
        }
    }
}
