//! The scores of the groups of one answer, which never rise from one hit to the next.

use super::merge::Group;
use super::ranking::Ranking;
use super::signals::Signals;

/// A group and its score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScoredGroup {
    pub group: Group,
    pub score: f32,
}

/// Scores groups in their order, so that no score is higher than one above it.
///
/// The order also weighs what says nothing about being right, so the curve alone may give a hit more than the one
/// before it. Where it does, each gets the mean of the highest that follows and the lowest that went before: raising the
/// upper ones alone would make many wrong hits look sure, lowering the others alone would hide right ones.
pub(crate) fn score(ranking: &Ranking, signals: &[Signals], groups: Vec<Group>) -> Vec<ScoredGroup> {
    let of = |group: &Group| ranking.score(&signals[group.best.index], group.best.relevance);
    let scores: Vec<f32> = groups.iter().map(of).collect();
    groups.into_iter().zip(never_rising(&scores)).map(|(group, score)| ScoredGroup { group, score }).collect()
}

fn never_rising(scores: &[f32]) -> Vec<f32> {
    let mut highest_below = scores.to_vec();
    for index in (1..scores.len()).rev() {
        highest_below[index - 1] = highest_below[index - 1].max(highest_below[index]);
    }
    let lowest_above = scores.iter().scan(f32::INFINITY, |lowest, score| {
        *lowest = lowest.min(*score);
        Some(*lowest)
    });
    highest_below.iter().zip(lowest_above).map(|(below, above)| f32::midpoint(*below, above)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::ranking::Ranked;

    #[test]
    fn a_list_in_order_keeps_its_scores_and_others_meet_in_the_middle() {
        assert_eq!(never_rising(&[0.75, 0.5, 0.25]), [0.75, 0.5, 0.25]);
        assert_eq!(never_rising(&[0.5, 0.75, 0.25]), [0.625, 0.625, 0.25]);
        assert!(never_rising(&[]).is_empty());
    }

    #[test]
    fn scores_lie_between_zero_and_one_and_never_rise() {
        let relevances = [8.0, 3.0, 5.0, -20.0, 90.0, -90.0];
        let group = |(index, relevance): (usize, &f32)| Group::alone(Ranked { index, relevance: *relevance });
        let groups: Vec<Group> = relevances.iter().enumerate().map(group).collect();
        let signals = vec![Signals::default(); relevances.len()];
        let scores: Vec<f32> =
            score(&Ranking::STAGE_ONE, &signals, groups).into_iter().map(|scored| scored.score).collect();
        assert!(scores.is_sorted_by(|left, right| left >= right), "{scores:?}");
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
    }
}
