//! Metrics of how well a list of files localises an issue, computed like the dataset's reference implementation.

use vectorcode_measure::metrics::gain;

/// The depths at which lists are graded.
pub const DEPTHS: [usize; 4] = [1, 3, 5, 10];

/// The metrics of one issue, or their means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalisationMetrics {
    /// At each of [`DEPTHS`]: whether the first k contain as many right files as possible, as in `LocAgent` and `SweRank`.
    pub accuracy: [f64; DEPTHS.len()],
    /// At each of [`DEPTHS`]: whether at least one right file is among the first k.
    pub hit: [f64; DEPTHS.len()],
    pub mrr: f64,
    pub ndcg: f64,
}

impl LocalisationMetrics {
    /// `files` must be distinct, best first.
    pub fn of(files: &[String], gold: &[&str]) -> Self {
        let ranks = ranks(files, gold);
        let found = |depth| ranks.iter().filter(|rank| **rank <= depth).count();
        let ideal: f64 = (1..=gold.len().min(10)).map(gain).sum();
        Self {
            accuracy: DEPTHS.map(|depth| f64::from(u8::from(found(depth) == gold.len().min(depth)))),
            hit: DEPTHS.map(|depth| f64::from(u8::from(found(depth) > 0))),
            mrr: ranks.first().map_or(0.0, |rank| 1.0 / *rank as f64),
            ndcg: ranks.iter().copied().filter(|rank| *rank <= 10).map(gain).sum::<f64>() / ideal,
        }
    }

    pub fn mean(grades: &[&Self]) -> Self {
        let mean = |part: &dyn Fn(&Self) -> f64| {
            grades.iter().map(|grade| part(grade)).sum::<f64>() / grades.len().max(1) as f64
        };
        Self {
            accuracy: std::array::from_fn(|at| mean(&|grade| grade.accuracy[at])),
            hit: std::array::from_fn(|at| mean(&|grade| grade.hit[at])),
            mrr: mean(&|grade| grade.mrr),
            ndcg: mean(&|grade| grade.ndcg),
        }
    }
}

/// The ranks of the right files, counted from 1, in order.
pub fn ranks(files: &[String], gold: &[&str]) -> Vec<usize> {
    files.iter().zip(1..).filter(|(file, _)| gold.contains(&file.as_str())).map(|(_, rank)| rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grade(files: &[&str], gold: &[&str]) -> LocalisationMetrics {
        LocalisationMetrics::of(&files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>(), gold)
    }

    #[test]
    fn all_right_files_must_be_there_that_fit_within_the_depth() {
        let both = grade(&["a", "x", "b", "y"], &["a", "b"]);
        assert_eq!((both.accuracy, both.hit), ([1.0, 1.0, 1.0, 1.0], [1.0; 4]));
        let late = grade(&["a", "x", "y", "b"], &["a", "b"]);
        assert_eq!(late.accuracy.map(|part| part > 0.0), [true, false, true, true]);
        let second = grade(&["x", "a"], &["a", "b"]);
        assert_eq!((second.accuracy, second.hit, second.mrr), ([0.0; 4], [0.0, 1.0, 1.0, 1.0], 0.5));
    }

    #[test]
    fn gains_are_binary_and_end_at_the_tenth() {
        let expected = (1.0 + 1.0 / 5_f64.log2()) / (1.0 + 1.0 / 3_f64.log2());
        assert!((grade(&["a", "x", "y", "b"], &["a", "b"]).ndcg - expected).abs() < 1e-12);
        let late = grade(&["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a"], &["a"]);
        assert_eq!((late.ndcg, late.hit[3]), (0.0, 0.0));
        assert!((late.mrr - 1.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn no_answer_is_worth_nothing() {
        assert_eq!(grade(&[], &["a"]), LocalisationMetrics::default());
    }
}
