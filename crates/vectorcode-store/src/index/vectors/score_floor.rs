//! The score that something must reach to be among the best.

#![expect(
    clippy::inline_always,
    reason = "what is not inlined into the scan of vectors is not compiled for its processor"
)]

/// Follows the `k`-th best of all scores that it is told. Told of thousands, a heap of the best would cost more than the scan
/// that offers them; here they are gathered, and cut back to `k` whenever there are twice as many.
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

    /// At most the `k`-th best, and near to it.
    #[inline(always)]
    pub fn about(&self) -> f32 {
        self.least
    }

    /// The `k`-th best; everything may be among the best while there are fewer.
    pub fn exact(&mut self) -> f32 {
        if self.best.len() >= self.k {
            self.cut();
        }
        self.least
    }

    #[inline(always)]
    pub fn tell(&mut self, score: f32) {
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
                floor.tell(score);
                sorted.push(score);
                sorted.sort_by(|one: &f32, other| other.total_cmp(one));
                let least = sorted.get(k - 1).copied().unwrap_or(f32::NEG_INFINITY);
                prop_assert!(floor.about() <= least);
            }
            let least = sorted.get(k - 1).copied().unwrap_or(f32::NEG_INFINITY);
            prop_assert!(floor.exact().total_cmp(&least).is_eq());
        }
    }
}
