//! How candidates are ordered and scored: one [`Ranking`] for each way of asking.
//!
//! A ranking holds the weights of the signals and the calibration of the score. Both were fitted together on the same
//! questions, so they are one value and cannot be mixed.

use std::cmp::Ordering;

use super::probe::Probe;
use super::signals::{Signal, Signals};
use super::weights::{self, Weight};

/// Weights and calibration for one way of asking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranking {
    weights: &'static [Weight],
    calibration: Calibration,
}

/// How a candidate's signals become the score that users see, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Calibration {
    Logistic(Curve),
    /// The cosine itself is the score, as the specification says of searches by vectors alone.
    Cosine(Signal),
}

/// A logistic curve: the probability that the file of a hit answers the question.
///
/// The relevance orders the candidates of one query, but says nothing about whether the best of them is any good. Two things
/// do: how far the file stands out from the others ([`super::score`]), and the signals that mean the same in every query, such as
/// the cosines and the part of the query's words that the file holds. `scripts/fit-ranker.py` fits the curves on right and wrong
/// answers to questions, bug reports, issues and their titles, and on the answers that repositories give to questions about
/// other repositories.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Curve {
    gap: f32,
    steady: &'static [Weight],
    offset: f32,
}

impl Ranking {
    /// A question, by full text, definitions and static vectors.
    pub const STAGE_ONE: Self = Self {
        weights: weights::STAGE_ONE,
        calibration: Calibration::Logistic(Curve {
            gap: 0.469,
            steady: &[
                (Signal::Static, 1.311),
                (Signal::FileCoverage, 1.864),
                (Signal::Defines, 0.222),
                (Signal::FileNamed, 0.833),
                (Signal::NamePrecision, 1.645),
                (Signal::PathMentioned, 1.091),
                (Signal::ModuleMentioned, 2.101),
                (Signal::HistoryLikeness, 2.306),
                (Signal::ProjectSize, -2.033),
            ],
            offset: -2.119,
        }),
    };

    /// A question, by stage one and the provider's vectors together.
    pub const BOTH_STAGES: Self = Self {
        weights: weights::BOTH_STAGES,
        calibration: Calibration::Logistic(Curve {
            gap: 0.470,
            steady: &[
                (Signal::Static, 0.190),
                (Signal::Provider, 2.539),
                (Signal::FileCoverage, 1.709),
                (Signal::Defines, 0.018),
                (Signal::FileNamed, 0.838),
                (Signal::NamePrecision, 1.350),
                (Signal::PathMentioned, 1.473),
                (Signal::ModuleMentioned, 1.980),
                (Signal::HistoryLikeness, 2.134),
                (Signal::ProjectSize, -2.058),
            ],
            offset: -2.444,
        }),
    };

    /// A bug report or another long text, by stage one.
    pub const REPORT_STAGE_ONE: Self = Self {
        weights: weights::REPORT_STAGE_ONE,
        calibration: Calibration::Logistic(Curve {
            gap: 0.442,
            steady: &[
                (Signal::Static, 2.496),
                (Signal::FileCoverage, 2.919),
                (Signal::Defines, 0.295),
                (Signal::FileNamed, 0.906),
                (Signal::NamePrecision, 1.302),
                (Signal::PathMentioned, 1.878),
                (Signal::ModuleMentioned, 1.393),
                (Signal::HistoryLikeness, 3.059),
                (Signal::ProjectSize, -1.515),
                (Signal::HistoryShare, 2.505),
            ],
            offset: -2.403,
        }),
    };

    /// A bug report or another long text, by both stages.
    pub const REPORT_BOTH_STAGES: Self = Self {
        weights: weights::REPORT_BOTH_STAGES,
        calibration: Calibration::Logistic(Curve {
            gap: 0.427,
            steady: &[
                (Signal::Static, 0.341),
                (Signal::Provider, 3.237),
                (Signal::FileCoverage, 2.982),
                (Signal::Defines, 0.312),
                (Signal::FileNamed, 0.793),
                (Signal::NamePrecision, 1.120),
                (Signal::PathMentioned, 1.835),
                (Signal::ModuleMentioned, 1.293),
                (Signal::HistoryLikeness, 2.732),
                (Signal::ProjectSize, -2.003),
                (Signal::HistoryShare, 2.486),
            ],
            offset: -2.473,
        }),
    };

    /// The provider's vectors alone: a semantic search.
    pub const SEMANTIC: Self =
        Self { weights: weights::SEMANTIC, calibration: Calibration::Cosine(Signal::Provider) };

    /// Code that is similar to other code.
    pub const SIMILAR_CODE: Self =
        Self { weights: weights::SIMILAR_CODE, calibration: Calibration::Cosine(Signal::Provider) };

    /// Code that is similar to other code, where no provider takes part.
    pub const SIMILAR_CODE_STAGE_ONE: Self =
        Self { weights: weights::SIMILAR_CODE, calibration: Calibration::Cosine(Signal::Static) };

    /// The one that fits what is asked and which stages take part.
    pub fn of(probe: &Probe) -> Self {
        if probe.is_code {
            let has_provider = probe.uses.stage_two || !probe.uses.stage_one;
            return if has_provider { Self::SIMILAR_CODE } else { Self::SIMILAR_CODE_STAGE_ONE };
        }
        match (probe.uses.stage_one, probe.uses.stage_two, probe.query.is_report()) {
            (true, true, false) => Self::BOTH_STAGES,
            (true, true, true) => Self::REPORT_BOTH_STAGES,
            (true, false, _) => Self::stage_one(probe),
            (false, ..) => Self::SEMANTIC,
        }
    }

    /// The one of stage one, whatever else takes part.
    pub fn stage_one(probe: &Probe) -> Self {
        if probe.query.is_report() { Self::REPORT_STAGE_ONE } else { Self::STAGE_ONE }
    }

    /// All candidates, best first.
    pub fn rank(&self, signals: &[Signals]) -> Vec<Ranked> {
        let relevances = signals.iter().map(|signals| self.relevance(signals)).enumerate();
        let mut ranked: Vec<Ranked> =
            relevances.map(|(index, relevance)| Ranked { index, relevance }).collect();
        ranked.sort_unstable_by(Ranked::best_first);
        ranked
    }

    /// The weighted sum of the signals.
    fn relevance(&self, signals: &Signals) -> f32 {
        self.weights.iter().map(|(signal, weight)| weight * signals[*signal]).sum()
    }

    /// The score of a candidate, from 0 to 1 and comparable between queries. `gap` is how much more relevant it is than the
    /// best of the other files.
    pub fn score(&self, signals: &Signals, gap: f32) -> f32 {
        match self.calibration {
            Calibration::Cosine(signal) => signals[signal].clamp(0.0, 1.0),
            Calibration::Logistic(curve) => curve.at(signals, gap),
        }
    }

    /// Every signal that is not zero, with its value and what it adds to the relevance.
    pub fn contributions(&self, signals: &Signals) -> Vec<(Signal, f32, f32)> {
        let weight = |signal| {
            self.weights.iter().find(|(known, _)| *known == signal).map_or(0.0, |(_, weight)| *weight)
        };
        let parts =
            Signal::ALL.iter().map(|signal| (*signal, signals[*signal], weight(*signal) * signals[*signal]));
        parts.filter(|(_, value, _)| *value != 0.0).collect()
    }
}

impl Curve {
    fn at(&self, signals: &Signals, gap: f32) -> f32 {
        let steady: f32 = self.steady.iter().map(|(signal, weight)| weight * signals[*signal]).sum();
        1.0 / (1.0 + (-(self.gap * gap + steady + self.offset)).exp())
    }
}

/// A candidate of the pool and its relevance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranked {
    /// Into the pool.
    pub index: usize,
    pub relevance: f32,
}

impl Ranked {
    /// Equals in the pool's order, so that the same query gives the same list.
    pub fn best_first(&self, other: &Self) -> Ordering {
        other.relevance.total_cmp(&self.relevance).then(self.index.cmp(&other.index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::probe;

    const SIMPLE: Ranking = Ranking {
        weights: &[(Signal::FullText, 2.0), (Signal::Test, -1.0)],
        calibration: Calibration::Cosine(Signal::Static),
    };

    fn signals(full_text: f32, test: f32) -> Signals {
        let mut signals = Signals::default();
        signals[Signal::FullText] = full_text;
        signals[Signal::Test] = test;
        signals
    }

    #[test]
    fn candidates_are_ordered_by_weighted_sum_and_equals_keep_their_order() {
        let ranked = SIMPLE.rank(&[signals(0.5, 0.0), signals(1.0, 1.0), signals(1.0, 0.0)]);
        assert_eq!(ranked.iter().map(|ranked| ranked.index).collect::<Vec<_>>(), [2, 0, 1]);
        assert_eq!(SIMPLE.contributions(&signals(0.5, 0.0)), [(Signal::FullText, 0.5, 1.0)]);
    }

    #[test]
    fn each_way_of_asking_has_its_ranking() {
        let mut probe = probe("retry");
        let mut of = |is_code, stage_one, stage_two| {
            probe.is_code = is_code;
            (probe.uses.stage_one, probe.uses.stage_two) = (stage_one, stage_two);
            Ranking::of(&probe)
        };
        assert_eq!(of(false, true, false), Ranking::STAGE_ONE);
        assert_eq!(of(false, true, true), Ranking::BOTH_STAGES);
        assert_eq!(of(false, false, true), Ranking::SEMANTIC);
        assert_eq!(of(true, true, false), Ranking::SIMILAR_CODE_STAGE_ONE);
        assert_eq!(of(true, true, true), Ranking::SIMILAR_CODE);
        assert_eq!(of(true, false, true), Ranking::SIMILAR_CODE);
    }

    #[test]
    fn a_report_has_weights_of_its_own() {
        let mut probe = probe("Retries never stop\n\nThe queue is full after an hour.");
        assert_eq!(Ranking::of(&probe), Ranking::REPORT_STAGE_ONE);
        probe.uses.stage_two = true;
        assert_eq!(Ranking::of(&probe), Ranking::REPORT_BOTH_STAGES);
        assert_eq!(Ranking::stage_one(&probe), Ranking::REPORT_STAGE_ONE);
    }
}
