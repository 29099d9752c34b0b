//! Orders and scores candidates. Each kind of query has a [`Recipe`], from which the [`Ranking`] of one pool is made.
//!
//! Both hold the weights of the signals and the calibration of the score. These were fitted together on the same
//! questions, so they are one value and cannot be mixed.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::probe::Probe;
use super::signals::{Signal, Signals};
use super::weights::{self, Weight};

/// The weights of the signals for one query, and the calibration of its scores.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranking {
    /// The weight of each signal, in the order of [`Signal::ALL`].
    weights: Signals,
    file_relevance: FileRelevance,
    calibration: Calibration,
}

/// How the relevance of a file follows from its chunks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FileRelevance {
    /// The relevance of its best chunk.
    BestChunk,
    /// Each signal counts at its best value in the file: a report raises several points, and a file may match each of
    /// them in another place.
    BestOfEachSignal,
}

/// Fitted weights and calibration for one kind of query.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Recipe {
    weights: &'static [Weight],
    /// The weights for a query whose words do not occur in the project. They trust vectors more and words less.
    without_words: Option<&'static [Weight]>,
    /// Added to the weights above if the query describes a defect, whether or not its words occur in the project. Empty in
    /// recipes that are not for short queries. The calibration was fitted without these additions.
    of_defect: &'static [Weight],
    file_relevance: FileRelevance,
    calibration: Calibration,
}

/// How a candidate's signals become the score that users see, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Calibration {
    Logistic(Curve),
    /// The cosine itself is the score, as the specification requires for searches by vectors alone.
    Cosine(Signal),
}

/// A logistic curve: the probability that the file of a hit answers the query.
///
/// The relevance orders the candidates of one query, but says nothing about whether the best of them is any good. Two
/// things do: how far the file stands out from the others ([`super::score`]), and the signals whose meaning is the
/// same in every query, such as the cosines and the share of the query's words that the file contains.
/// `scripts/fit-ranker.py` fits the curves on right and wrong results for questions, bug reports, issues and their
/// titles, and on the results that repositories return for questions about other repositories.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Curve {
    gap: f32,
    steady: &'static [Weight],
    offset: f32,
}

/// A short query, by full text, definitions and static vectors.
const STAGE_ONE: Recipe = Recipe {
    weights: weights::STAGE_ONE,
    without_words: Some(weights::STAGE_ONE_WITHOUT_WORDS),
    of_defect: weights::STAGE_ONE_OF_DEFECT,
    file_relevance: FileRelevance::BestChunk,
    calibration: Calibration::Logistic(Curve {
        gap: 0.425,
        steady: &[
            (Signal::Static, 1.953),
            (Signal::FileCoverage, 1.460),
            (Signal::Defines, 0.591),
            (Signal::FileNamed, 1.195),
            (Signal::NamePrecision, 1.256),
            (Signal::PathMentioned, 1.109),
            (Signal::ModuleMentioned, 2.095),
            (Signal::HistoryLikeness, 2.371),
            (Signal::ProjectSize, -2.398),
        ],
        offset: -1.770,
    }),
};

/// A short query, by stage one and provider vectors together.
const BOTH_STAGES: Recipe = Recipe {
    weights: weights::BOTH_STAGES,
    without_words: Some(weights::BOTH_STAGES_WITHOUT_WORDS),
    of_defect: weights::BOTH_STAGES_OF_DEFECT,
    file_relevance: FileRelevance::BestChunk,
    calibration: Calibration::Logistic(Curve {
        gap: 0.424,
        steady: &[
            (Signal::Static, 0.269),
            (Signal::Provider, 3.847),
            (Signal::FileCoverage, 1.106),
            (Signal::Defines, 0.387),
            (Signal::FileNamed, 1.277),
            (Signal::NamePrecision, 0.918),
            (Signal::PathMentioned, 1.091),
            (Signal::ModuleMentioned, 2.150),
            (Signal::HistoryLikeness, 2.074),
            (Signal::ProjectSize, -2.142),
        ],
        offset: -2.483,
    }),
};

/// A bug report or another long text, by stage one.
const REPORT_STAGE_ONE: Recipe = Recipe {
    weights: weights::REPORT_STAGE_ONE,
    without_words: None,
    of_defect: &[],
    file_relevance: FileRelevance::BestOfEachSignal,
    calibration: Calibration::Logistic(Curve {
        gap: 0.404,
        steady: &[
            (Signal::Static, 2.779),
            (Signal::FileCoverage, 3.065),
            (Signal::Defines, 0.945),
            (Signal::FileNamed, 0.787),
            (Signal::NamePrecision, 1.731),
            (Signal::PathMentioned, 1.707),
            (Signal::ModuleMentioned, 1.513),
            (Signal::HistoryLikeness, 3.143),
            (Signal::ProjectSize, -1.173),
            (Signal::HistoryShare, 1.844),
        ],
        offset: -3.276,
    }),
};

/// A bug report or another long text, by both stages.
const REPORT_BOTH_STAGES: Recipe = Recipe {
    weights: weights::REPORT_BOTH_STAGES,
    without_words: None,
    of_defect: &[],
    file_relevance: FileRelevance::BestChunk,
    calibration: Calibration::Logistic(Curve {
        gap: 0.428,
        steady: &[
            (Signal::Static, 0.284),
            (Signal::Provider, 3.839),
            (Signal::FileCoverage, 3.110),
            (Signal::Defines, 0.423),
            (Signal::FileNamed, 0.796),
            (Signal::NamePrecision, 1.248),
            (Signal::PathMentioned, 1.859),
            (Signal::ModuleMentioned, 1.408),
            (Signal::HistoryLikeness, 2.738),
            (Signal::ProjectSize, -2.148),
            (Signal::HistoryShare, 1.694),
        ],
        offset: -2.812,
    }),
};

/// Provider vectors alone: a semantic search.
const SEMANTIC: Recipe = Recipe {
    weights: weights::SEMANTIC,
    without_words: None,
    of_defect: &[],
    file_relevance: FileRelevance::BestChunk,
    calibration: Calibration::Cosine(Signal::Provider),
};

/// Code that is similar to other code.
const SIMILAR_CODE: Recipe = Recipe {
    weights: weights::SIMILAR_CODE,
    without_words: None,
    of_defect: &[],
    file_relevance: FileRelevance::BestChunk,
    calibration: Calibration::Cosine(Signal::Provider),
};

/// Code that is similar to other code, without a provider.
const SIMILAR_CODE_STAGE_ONE: Recipe = Recipe {
    weights: weights::SIMILAR_CODE,
    without_words: None,
    of_defect: &[],
    file_relevance: FileRelevance::BestChunk,
    calibration: Calibration::Cosine(Signal::Static),
};

/// A query counts as written in the project's words if one file contains at least this share of them, by weight...
const WORDS_FOUND: f32 = 0.6;
/// ...and as written in other words if no file contains more than this. In between, the two sets of weights are
/// blended.
const WORDS_MISSING: f32 = 0.2;

impl Recipe {
    /// The recipe for this kind of query and the stages that take part.
    fn of(probe: &Probe) -> Self {
        if probe.is_code {
            let has_provider = probe.uses.stage_two || !probe.uses.stage_one;
            return if has_provider { SIMILAR_CODE } else { SIMILAR_CODE_STAGE_ONE };
        }
        match (probe.uses.stage_one, probe.uses.stage_two, probe.query.is_report()) {
            (true, true, false) => BOTH_STAGES,
            (true, true, true) => REPORT_BOTH_STAGES,
            (true, false, _) => Self::stage_one(probe),
            (false, ..) => SEMANTIC,
        }
    }

    fn stage_one(probe: &Probe) -> Self {
        if probe.query.is_report() { REPORT_STAGE_ONE } else { STAGE_ONE }
    }

    /// The ranking for one pool. A title that describes a defect is about the code to change, but names what its writer sees
    /// of it. A query word inside a name is strong evidence in a project that has the query's words, and misleading in one
    /// that has only that word.
    fn for_pool(self, pool: &[Signals]) -> Ranking {
        let mut weights = by_signal(self.weights);
        if let Some(without_words) = self.without_words {
            let (missing, others) = (missing_words(pool), by_signal(without_words));
            for signal in Signal::ALL {
                let own = &mut weights[*signal];
                *own += missing * (others[*signal] - *own);
            }
        }
        if pool.iter().any(|signals| signals[Signal::DescribesDefect] > 0.0) {
            for (signal, added) in self.of_defect {
                weights[*signal] += added;
            }
        }
        Ranking { weights, file_relevance: self.file_relevance, calibration: self.calibration }
    }
}

fn by_signal(weights: &[Weight]) -> Signals {
    let mut all = Signals::default();
    for (signal, weight) in weights {
        all[*signal] = *weight;
    }
    all
}

/// How far the project lacks the words of the query, from 0 to 1, judged by the file that contains most of them.
fn missing_words(pool: &[Signals]) -> f32 {
    let found = pool.iter().map(|signals| signals[Signal::FileCoverage]).fold(0.0, f32::max);
    ((WORDS_FOUND - found) / (WORDS_FOUND - WORDS_MISSING)).clamp(0.0, 1.0)
}

impl Ranking {
    /// The ranking for this query, the stages that take part, and the words found in this pool.
    pub fn of(probe: &Probe, pool: &[Signals]) -> Self {
        Recipe::of(probe).for_pool(pool)
    }

    /// The ranking of stage one, whatever else takes part.
    pub fn stage_one(probe: &Probe, pool: &[Signals]) -> Self {
        Recipe::stage_one(probe).for_pool(pool)
    }

    /// All candidates, best first; `path_of` returns the file of each.
    pub fn rank<'p>(&self, signals: &[Signals], path_of: impl Fn(usize) -> &'p str) -> Vec<Ranked> {
        let relevances = signals.iter().map(|signals| self.relevance(signals)).enumerate();
        let mut ranked: Vec<Ranked> =
            relevances.map(|(index, relevance)| Ranked { index, relevance }).collect();
        if self.file_relevance == FileRelevance::BestOfEachSignal {
            self.gather_files(signals, &mut ranked, path_of);
        }
        ranked.sort_unstable_by(Ranked::best_first);
        ranked
    }

    /// Raises all chunks of a file by the same amount, so that their order stays: by how much the sum of each
    /// signal's best value exceeds the best chunk.
    fn gather_files<'p>(
        &self,
        signals: &[Signals],
        ranked: &mut [Ranked],
        path_of: impl Fn(usize) -> &'p str,
    ) {
        let mut files: FxHashMap<&str, GatheredFile> = FxHashMap::default();
        for (ranked, signals) in ranked.iter().zip(signals) {
            let file = files.entry(path_of(ranked.index)).or_default();
            file.best_chunk = file.best_chunk.max(ranked.relevance);
            for signal in Signal::ALL {
                let best = &mut file.best_of_each[*signal];
                *best = best.max(self.weights[*signal] * signals[*signal]);
            }
        }
        for ranked in ranked {
            ranked.relevance += files[path_of(ranked.index)].beyond_its_best_chunk();
        }
    }

    /// The weighted sum of the signals.
    fn relevance(&self, signals: &Signals) -> f32 {
        Signal::ALL.iter().map(|signal| self.weights[*signal] * signals[*signal]).sum()
    }

    /// The score of a candidate, from 0 to 1 and comparable between queries. `gap` is how much more relevant it is
    /// than the best of the other files.
    pub fn score(&self, signals: &Signals, gap: f32) -> f32 {
        match self.calibration {
            Calibration::Cosine(signal) => signals[signal].clamp(0.0, 1.0),
            Calibration::Logistic(curve) => curve.at(signals, gap),
        }
    }

    /// Every signal that is not zero, with its value and its contribution to the relevance.
    pub fn contributions(&self, signals: &Signals) -> Vec<(Signal, f32, f32)> {
        let added = |signal: &Signal| (*signal, signals[*signal], self.weights[*signal] * signals[*signal]);
        let parts = Signal::ALL.iter().map(added);
        parts.filter(|(_, value, _)| *value != 0.0).collect()
    }
}

impl Curve {
    fn at(&self, signals: &Signals, gap: f32) -> f32 {
        let steady: f32 = self.steady.iter().map(|(signal, weight)| weight * signals[*signal]).sum();
        1.0 / (1.0 + (-(self.gap * gap + steady + self.offset)).exp())
    }
}

/// The combined chunks of a file.
struct GatheredFile {
    best_chunk: f32,
    /// The largest contribution of each signal to the relevance of a chunk.
    best_of_each: Signals,
}

impl Default for GatheredFile {
    fn default() -> Self {
        let mut best_of_each = Signals::default();
        for signal in Signal::ALL {
            best_of_each[*signal] = f32::NEG_INFINITY;
        }
        Self { best_chunk: f32::NEG_INFINITY, best_of_each }
    }
}

impl GatheredFile {
    fn beyond_its_best_chunk(&self) -> f32 {
        Signal::ALL.iter().map(|signal| self.best_of_each[*signal]).sum::<f32>() - self.best_chunk
    }
}

/// A candidate of the pool and its relevance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranked {
    /// Index into the pool.
    pub index: usize,
    pub relevance: f32,
}

impl Ranked {
    /// Ties keep the order of the pool, so that the same query gives the same list.
    pub fn best_first(&self, other: &Self) -> Ordering {
        other.relevance.total_cmp(&self.relevance).then(self.index.cmp(&other.index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::probe;

    const SIMPLE: Recipe = Recipe {
        weights: &[(Signal::FullText, 2.0), (Signal::Test, -1.0)],
        without_words: Some(&[(Signal::Static, 4.0)]),
        of_defect: &[(Signal::Test, -2.0)],
        file_relevance: FileRelevance::BestChunk,
        calibration: Calibration::Cosine(Signal::Static),
    };

    fn signals(full_text: f32, test: f32) -> Signals {
        let mut signals = Signals::default();
        signals[Signal::FullText] = full_text;
        signals[Signal::Test] = test;
        signals[Signal::FileCoverage] = WORDS_FOUND;
        signals
    }

    #[test]
    fn candidates_are_ordered_by_weighted_sum_and_equals_keep_their_order() {
        let pool = [signals(0.5, 0.0), signals(1.0, 1.0), signals(1.0, 0.0)];
        let ranking = SIMPLE.for_pool(&pool);
        let ranked = ranking.rank(&pool, |_| "a.rs");
        assert_eq!(ranked.iter().map(|ranked| ranked.index).collect::<Vec<_>>(), [2, 0, 1]);
        let parts = ranking.contributions(&pool[0]);
        assert_eq!(parts[0], (Signal::FullText, 0.5, 1.0));
    }

    #[test]
    fn a_file_may_answer_a_report_in_several_places() {
        let recipe = Recipe { file_relevance: FileRelevance::BestOfEachSignal, ..SIMPLE };
        let mut pool = [signals(0.5, 0.0), signals(0.4, 0.0), signals(0.62, 0.0)];
        let weights: &[Weight] = &[(Signal::FullText, 2.0), (Signal::Literal, 1.0)];
        pool[1][Signal::Literal] = 0.35;
        let ranking = Recipe { weights, ..recipe }.for_pool(&pool);
        let path = |index: usize| ["a.rs", "a.rs", "b.rs"][index];
        let ranked = ranking.rank(&pool, path);
        // The best chunk of b is better than either chunk of a, which together match more of the report.
        assert_eq!(ranked.iter().map(|ranked| ranked.index).collect::<Vec<_>>(), [1, 2, 0]);
        let alone = Recipe { file_relevance: FileRelevance::BestChunk, weights, ..recipe }.for_pool(&pool);
        assert_eq!(alone.rank(&pool, path)[0].index, 2);
    }

    #[test]
    fn a_query_that_describes_a_defect_has_its_own_weights() {
        let mut pool = [signals(0.5, 1.0), signals(0.5, 0.0)];
        let gap = |pool: &[Signals]| {
            let ranked = SIMPLE.for_pool(pool).rank(pool, |_| "a.rs");
            ranked[0].relevance - ranked[1].relevance
        };
        let of_question = gap(&pool);
        for signals in &mut pool {
            signals[Signal::DescribesDefect] = 1.0;
        }
        assert!((gap(&pool) - of_question - 2.0).abs() < 1e-6);
    }

    #[test]
    fn where_words_are_missing_the_other_weights_count() {
        let weights = |found: f32| {
            let mut best = Signals::default();
            best[Signal::FileCoverage] = found;
            let Ranking { weights, .. } = SIMPLE.for_pool(&[Signals::default(), best]);
            [weights[Signal::FullText], weights[Signal::Static]]
        };
        let close = |one: [f32; 2], other: [f32; 2]| {
            one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-5)
        };
        assert!(close(weights(1.0), [2.0, 0.0]));
        assert!(close(weights(f32::midpoint(WORDS_FOUND, WORDS_MISSING)), [1.0, 2.0]));
        assert!(close(weights(0.1), [0.0, 4.0]));
    }

    #[test]
    fn each_way_of_asking_has_its_ranking() {
        let mut probe = probe("retry");
        let mut of = |is_code, stage_one, stage_two| {
            probe.is_code = is_code;
            (probe.uses.stage_one, probe.uses.stage_two) = (stage_one, stage_two);
            Recipe::of(&probe)
        };
        assert_eq!(of(false, true, false), STAGE_ONE);
        assert_eq!(of(false, true, true), BOTH_STAGES);
        assert_eq!(of(false, false, true), SEMANTIC);
        assert_eq!(of(true, true, false), SIMILAR_CODE_STAGE_ONE);
        assert_eq!(of(true, true, true), SIMILAR_CODE);
        assert_eq!(of(true, false, true), SIMILAR_CODE);
    }

    #[test]
    fn a_report_has_weights_of_its_own() {
        let mut probe = probe("Retries never stop\n\nThe queue is full after an hour.");
        assert_eq!(Recipe::of(&probe), REPORT_STAGE_ONE);
        probe.uses.stage_two = true;
        assert_eq!(Recipe::of(&probe), REPORT_BOTH_STAGES);
        assert_eq!(Recipe::stage_one(&probe), REPORT_STAGE_ONE);
    }
}
