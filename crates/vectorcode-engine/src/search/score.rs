//! The score that people see: 0 to 1, falling with rank, comparable between queries.

use super::merge::Group;

/// Where the logistic curve stands and how steep it is.
const MIDDLE: f32 = 5.0;
const STEEPNESS: f32 = 0.6;

/// A group and its score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScoredGroup {
    pub group: Group,
    pub score: f32,
}

/// Scores groups in their order; a group never scores above one that stands before it.
pub(crate) fn score(groups: Vec<Group>) -> Vec<ScoredGroup> {
    let mut ceiling = 1.0_f32;
    groups
        .into_iter()
        .map(|group| {
            ceiling = ceiling.min(logistic(STEEPNESS * (group.best.relevance - MIDDLE)));
            ScoredGroup { group, score: ceiling }
        })
        .collect()
}

fn logistic(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}
