//! Scores the groups of one result, so that scores never rise from one hit to the next.

use super::merge::Group;
use super::ranking::Ranking;
use super::signals::Signals;

/// A group and its score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScoredGroup {
    pub group: Group,
    pub score: f32,
}

/// Scores groups in order; `file_of` returns the file of a candidate.
pub(crate) fn score<'p>(
    ranking: &Ranking,
    signals: &[Signals],
    groups: Vec<Group>,
    file_of: impl Fn(usize) -> &'p str,
) -> Vec<ScoredGroup> {
    let lead = Lead::of(&groups, &file_of);
    let of = |group: &Group| {
        let gap = lead.as_ref().map_or(0.0, |lead| lead.gap(group, file_of(group.best.index)));
        ranking.score(&signals[group.best.index], gap)
    };
    let scores = never_rising(groups.iter().map(of));
    groups.into_iter().zip(scores).map(|(group, score)| ScoredGroup { group, score }).collect()
}

/// The gap when all candidates are from one file, so there is nothing to compare with: about that of the first file
/// in the benchmark.
const NO_RIVAL: f32 = 1.5;

/// The two best files.
struct Lead<'p> {
    file: &'p str,
    relevance: f32,
    /// The relevance of the best other file.
    rival: Option<f32>,
}

impl<'p> Lead<'p> {
    fn of(groups: &[Group], file_of: impl Fn(usize) -> &'p str) -> Option<Self> {
        let first = groups.first()?;
        let file = file_of(first.best.index);
        let others = groups.iter().filter(|group| file_of(group.best.index) != file);
        // Not simply the next one, which may have moved up because it changes together with the first.
        let rival = others.map(|group| group.best.relevance).max_by(f32::total_cmp);
        Some(Self { file, relevance: first.best.relevance, rival })
    }

    /// How much more relevant a group is than the best of the other files; negative for all but the first file.
    fn gap(&self, group: &Group, file: &str) -> f32 {
        let other = if file == self.file { self.rival } else { Some(self.relevance) };
        other.map_or(group.best.relevance - self.relevance + NO_RIVAL, |other| group.best.relevance - other)
    }
}

/// The order also takes into account what does not affect the probability, so the curve alone may give a hit a higher
/// score than the one before it. Such neighbours share their mean (isotonic regression by pooling adjacent
/// violators), which keeps probabilities correct on average; raising only the upper ones would make many wrong hits
/// look certain.
fn never_rising(scores: impl Iterator<Item = f32>) -> Vec<f32> {
    struct Pool {
        mean: f32,
        count: usize,
    }
    let mut pools: Vec<Pool> = Vec::new();
    for score in scores {
        let mut pool = Pool { mean: score, count: 1 };
        while let Some(above) = pools.pop_if(|above| above.mean < pool.mean) {
            let count = above.count + pool.count;
            let sum = above.mean * above.count as f32 + pool.mean * pool.count as f32;
            pool = Pool { mean: sum / count as f32, count };
        }
        pools.push(pool);
    }
    pools.iter().flat_map(|pool| std::iter::repeat_n(pool.mean, pool.count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::ranking::Ranked;
    use crate::search::testing::probe;

    fn groups(relevances: &[f32]) -> Vec<Group> {
        let group = |(index, relevance): (usize, &f32)| Group::alone(Ranked { index, relevance: *relevance });
        relevances.iter().enumerate().map(group).collect()
    }

    #[test]
    fn a_list_in_order_keeps_its_scores_and_others_share_their_mean() {
        let of = |scores: &[f32]| never_rising(scores.iter().copied());
        assert_eq!(of(&[0.75, 0.5, 0.25]), [0.75, 0.5, 0.25]);
        assert_eq!(of(&[0.5, 0.75, 0.25]), [0.625, 0.625, 0.25]);
        assert_eq!(of(&[0.5, 0.25, 1.0]), [0.583_333_3, 0.583_333_3, 0.583_333_3]);
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn a_file_is_compared_with_the_best_other_one() {
        let groups = groups(&[8.0, 7.0, 5.0, 4.0]);
        let files = ["a", "a", "b", "c"];
        let lead = Lead::of(&groups, |index| files[index]).expect("there are groups");
        let gaps: Vec<f32> = groups.iter().map(|group| lead.gap(group, files[group.best.index])).collect();
        assert_eq!(gaps, [3.0, 2.0, -3.0, -4.0]);
        let alone = Lead::of(&groups[..2], |_| "a").expect("there are groups");
        let gaps: Vec<f32> = groups[..2].iter().map(|group| alone.gap(group, "a")).collect();
        assert_eq!(gaps, [NO_RIVAL, NO_RIVAL - 1.0], "nothing to compare with");
    }

    #[test]
    fn scores_lie_between_zero_and_one_and_never_rise() {
        let relevances = [8.0, 3.0, 5.0, -20.0, 90.0, -90.0];
        let signals = vec![Signals::default(); relevances.len()];
        let names = ["a", "b", "c", "d", "e", "f"];
        let ranking = Ranking::stage_one(&probe("retry"), &signals);
        let answer = score(&ranking, &signals, groups(&relevances), |index| names[index]);
        let scores: Vec<f32> = answer.into_iter().map(|scored| scored.score).collect();
        assert!(scores.is_sorted_by(|left, right| left >= right), "{scores:?}");
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
    }
}
