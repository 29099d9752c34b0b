//! One ranking out of several: scores are calibrated, so they mean the same in every project.

use vectorcode_core::api::{Cursor, Hit, SearchRequest, SearchResponse};

use crate::search::NEAREST;

/// What one project answered.
#[derive(Clone, Debug)]
pub(super) struct ProjectAnswer {
    pub project: String,
    pub response: SearchResponse,
}

/// The request as each project gets it: all that the page and those before it may need.
pub(super) fn part_of(request: &SearchRequest) -> SearchRequest {
    let limit = start(request).saturating_add(request.limit);
    SearchRequest { limit, cursor: None, ..request.clone() }
}

/// Merges answers, given in the order of their projects: between equal scores that order decides, and inside a project
/// its own ranking, so that the same question gives the same pages.
pub(super) fn merge(answers: Vec<ProjectAnswer>, request: &SearchRequest) -> SearchResponse {
    let is_weak = answers.iter().all(|answer| answer.response.weak || answer.response.hits.is_empty());
    let mut merged = SearchResponse::default();
    for ProjectAnswer { project, mut response } in answers {
        if response.weak && !is_weak {
            (response.hits, response.total) = (Vec::new(), 0);
        }
        merged.total += response.total;
        merged.semantic_coverage = least(merged.semantic_coverage, response.semantic_coverage);
        merged.notes.extend(response.notes.into_iter().map(|note| format!("{project}: {note}")));
        merged
            .hits
            .extend(response.hits.into_iter().map(|hit| Hit { project: Some(project.clone()), ..hit }));
    }
    merged.hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    if is_weak {
        merged.hits.truncate(NEAREST);
        (merged.total, merged.weak) = (merged.hits.len(), !merged.hits.is_empty());
    }
    let start = start(request);
    let end = start.saturating_add(request.limit).min(merged.hits.len());
    merged.next = (start < end && end < merged.total).then_some(Cursor(end));
    merged.hits.truncate(end);
    merged.hits.drain(..start.min(end));
    merged
}

fn start(request: &SearchRequest) -> usize {
    request.cursor.map_or(0, |Cursor(given)| given)
}

fn least(one: Option<f32>, other: Option<f32>) -> Option<f32> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::ContentClass;
    use vectorcode_core::api::Freshness;

    use super::*;

    fn hit(path: &str, score: f32) -> Hit {
        Hit {
            project: None,
            artifact: None,
            path: path.into(),
            start_line: 1,
            end_line: 2,
            symbol: None,
            kind: "function_item".into(),
            language: "rust".into(),
            class: ContentClass::Code,
            is_test: false,
            parent_context: None,
            content: String::new(),
            score,
            freshness: Freshness::Fresh,
            signals: Vec::new(),
            neighbours: None,
        }
    }

    fn answer(project: &str, hits: &[(&str, f32)]) -> ProjectAnswer {
        let hits: Vec<Hit> = hits.iter().map(|(path, score)| hit(path, *score)).collect();
        let response = SearchResponse { total: hits.len(), hits, ..SearchResponse::default() };
        ProjectAnswer { project: project.into(), response }
    }

    fn page(cursor: usize, limit: usize) -> (String, Option<Cursor>) {
        let answers = vec![
            answer("api", &[("a", 0.9), ("b", 0.5), ("c", 0.4)]),
            answer("web", &[("x", 0.8), ("y", 0.5)]),
        ];
        let request = SearchRequest { limit, cursor: Some(Cursor(cursor)), ..SearchRequest::query("q") };
        let merged = merge(answers, &request);
        let name = |hit: &Hit| format!("{}:{}", hit.project.as_deref().unwrap_or("?"), hit.path);
        (merged.hits.iter().map(name).collect::<Vec<_>>().join(" "), merged.next)
    }

    #[test]
    fn the_best_of_all_comes_first_and_ties_keep_the_order_of_projects() {
        assert_eq!(page(0, 10), ("api:a web:x api:b web:y api:c".into(), None));
    }

    #[test]
    fn weak_answers_count_only_where_all_are_weak() {
        let weak = |project, hits| {
            let mut answer = answer(project, hits);
            answer.response.weak = true;
            answer
        };
        let merged = |answers| {
            let merged = merge(answers, &SearchRequest::query("q"));
            let paths = merged.hits.into_iter().map(|hit| hit.path).collect::<Vec<_>>().join(" ");
            (paths, merged.total, merged.weak)
        };
        let (api, web) = (weak("api", &[("a", 0.2), ("b", 0.1)]), weak("web", &[("x", 0.25), ("y", 0.05)]));
        assert_eq!(merged(vec![api.clone(), web]), ("x a b".into(), 3, true));
        assert_eq!(merged(vec![api, answer("web", &[("x", 0.5)])]), ("x".into(), 1, false));
        assert_eq!(merged(vec![answer("web", &[])]), (String::new(), 0, false));
    }

    #[test]
    fn pages_follow_each_other_without_gap_or_repeat() {
        assert_eq!(page(0, 2), ("api:a web:x".into(), Some(Cursor(2))));
        assert_eq!(page(2, 2), ("api:b web:y".into(), Some(Cursor(4))));
        assert_eq!(page(4, 2), ("api:c".into(), None));
        assert_eq!(page(9, 2), (String::new(), None));
    }
}
