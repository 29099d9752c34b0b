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

/// Scores groups in their order. A group scores no less than any that comes after it: diversifying may put a hit behind
/// a weaker one of another file, and a list whose scores jump up would look wrongly sorted.
pub(crate) fn score(ranking: &Ranking, signals: &[Signals], groups: Vec<Group>) -> Vec<ScoredGroup> {
    let mut scored: Vec<ScoredGroup> = groups
        .into_iter()
        .map(|group| {
            let score = ranking.score(&signals[group.best.index], group.best.relevance);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::ranking::Ranked;

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
            score(&Ranking::STAGE_ONE, &signals, groups).into_iter().map(|scored| scored.score).collect();
        assert!(scores.is_sorted_by(|left, right| left >= right), "{scores:?}");
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
    }
}
