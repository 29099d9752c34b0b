//! Merges the rankings of several projects into one. Scores are calibrated, so they are comparable across projects.

use vectorcode_core::api::{SearchRequest, UNRELATED_HIT_LIMIT, UNRELATED_SCORE};

/// What merging needs to know about one project's result.
#[derive(Clone, Debug)]
pub(super) struct ProjectScores {
    /// The scores of its hits, in their order.
    pub scores: Vec<f32>,
    pub total: usize,
    /// How many of the hits are likely relevant.
    pub likely: usize,
}

/// The hits of all projects, best first.
#[derive(Clone, Debug, Default)]
pub(super) struct MergedRanking {
    pub hits: Vec<HitPlace>,
    pub total: usize,
    /// How many of the hits are likely relevant.
    pub likely: usize,
}

/// Identifies a hit: the index of its project, and the index among that project's hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HitPlace {
    pub project: usize,
    pub hit: usize,
}

/// Merges results given in the order of the projects. Ties are broken by that order, and within a project by its own
/// ranking, so that repeating the request gives the same pages.
pub(super) fn merge(found: &[ProjectScores], request: &SearchRequest) -> MergedRanking {
    let mut merged = MergedRanking::default();
    let mut hits = Vec::new();
    for (project, found) in found.iter().enumerate() {
        merged.total += found.total;
        merged.likely += found.likely;
        let places = found.scores.iter().enumerate();
        hits.extend(places.map(|(hit, score)| (*score, HitPlace { project, hit })));
    }
    hits.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let best = hits.first().map_or(0.0, |(score, _)| *score);
    merged.hits = hits.into_iter().map(|(_, place)| place).collect();
    if best < UNRELATED_SCORE && request.threshold.is_none() {
        merged.hits.truncate(UNRELATED_HIT_LIMIT);
        merged.total = merged.hits.len();
    }
    merged
}

#[cfg(test)]
mod tests {
    use vectorcode_core::api::LIKELY_SCORE;

    use super::*;

    fn found(scores: &[f32]) -> ProjectScores {
        let likely = scores.iter().filter(|score| **score >= LIKELY_SCORE).count();
        ProjectScores { scores: scores.to_vec(), total: scores.len(), likely }
    }

    fn merged(found: &[ProjectScores]) -> (Vec<(usize, usize)>, usize, usize) {
        let MergedRanking { hits, total, likely } = merge(found, &SearchRequest::query("q"));
        (hits.iter().map(|place| (place.project, place.hit)).collect(), total, likely)
    }

    #[test]
    fn the_best_of_all_comes_first_and_ties_keep_the_order_of_projects() {
        let both = [found(&[0.9, 0.5, 0.4]), found(&[0.8, 0.5])];
        assert_eq!(merged(&both), (vec![(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)], 5, 5));
    }

    #[test]
    fn where_the_question_is_about_something_else_the_nearest_of_all_are_left() {
        let (api, web) = (found(&[0.02, 0.01]), found(&[0.025, 0.005]));
        assert_eq!(merged(&[api.clone(), web]), (vec![(1, 0), (0, 0), (0, 1)], 3, 0));
        assert_eq!(merged(&[api, found(&[0.5])]), (vec![(1, 0), (0, 0), (0, 1)], 3, 1));
        assert_eq!(merged(&[found(&[])]), (Vec::new(), 0, 0));
    }
}
