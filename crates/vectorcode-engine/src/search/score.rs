//! The score that people see: 0 to 1, falling with rank, comparable between queries.
//!
//! The relevance orders the candidates of one query; whether the best of them is any good is told by the signals
//! that mean the same in every query: the cosines and the part of the query's words that the file holds. A logistic
//! curve over both was fitted on hits of questions and bug reports against the answers that repositories give to questions
//! about other repositories. It is then shifted towards keeping: a question that shares no word with its answer scores
//! low, and an answer that is not shown is worse than one too many.

use super::merge::Group;
use super::probe::Probe;
use super::signals::{Signal, Signals};

/// A group and its score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScoredGroup {
    pub group: Group,
    pub score: f32,
}

/// The weights of a logistic curve.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Curve {
    relevance: f32,
    by_static: f32,
    by_provider: f32,
    file_coverage: f32,
    offset: f32,
}

/// How far the fitted curves are shifted, so that right answers in other words stay above the default threshold.
const LENIENCE: f32 = 0.5;

const STAGE_ONE: Curve = Curve {
    relevance: 0.225,
    by_static: 4.250,
    by_provider: 0.0,
    file_coverage: 1.543,
    offset: -2.889 + LENIENCE,
};

const BOTH_STAGES: Curve = Curve {
    relevance: 0.172,
    by_static: 2.303,
    by_provider: 3.318,
    file_coverage: 1.406,
    offset: -3.243 + LENIENCE,
};

/// Scores groups in their order. A group scores no less than any that stands after it.
pub(crate) fn score(probe: &Probe, signals: &[Signals], groups: Vec<Group>) -> Vec<ScoredGroup> {
    let mut scored: Vec<ScoredGroup> = groups
        .into_iter()
        .map(|group| {
            let score = raw_score(probe, &signals[group.best.index], group.best.relevance);
            ScoredGroup { group, score }
        })
        .collect();
    let mut floor = 0.0_f32;
    for scored in scored.iter_mut().rev() {
        floor = floor.max(scored.score);
        scored.score = floor;
    }
    scored
}

fn raw_score(probe: &Probe, signals: &Signals, relevance: f32) -> f32 {
    let curve = match (probe.is_code, probe.uses.stage_one, probe.uses.stage_two) {
        // Vectors alone: the cosine is the score, as in the specification.
        (true, _, true) | (_, false, _) => return signals[Signal::Provider].clamp(0.0, 1.0),
        (true, _, false) => return signals[Signal::Static].clamp(0.0, 1.0),
        (false, true, true) => BOTH_STAGES,
        (false, true, false) => STAGE_ONE,
    };
    logistic(
        curve.relevance * relevance
            + curve.by_static * signals[Signal::Static]
            + curve.by_provider * signals[Signal::Provider]
            + curve.file_coverage * signals[Signal::FileCoverage]
            + curve.offset,
    )
}

fn logistic(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::rank::Ranked;
    use crate::search::testing::probe;

    #[test]
    fn scores_lie_between_zero_and_one_and_never_rise() {
        let relevances = [8.0, 3.0, 5.0, -20.0, 90.0, -90.0];
        let group = |(index, relevance): (usize, &f32)| Group {
            best: Ranked { index, relevance: *relevance },
            members: vec![index],
        };
        let groups: Vec<Group> = relevances.iter().enumerate().map(group).collect();
        let signals = vec![Signals::default(); relevances.len()];
        let scores: Vec<f32> =
            score(&probe("retry"), &signals, groups).into_iter().map(|scored| scored.score).collect();
        assert!(scores.is_sorted_by(|left, right| left >= right), "{scores:?}");
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
    }
}
