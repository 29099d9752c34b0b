//! Answers of a moment ago, for those who ask the same again while the index is the same: a page that is turned
//! back, a query typed anew, many callers with one question.
//!
//! What is kept is what the index said. Each hit is still compared with the disk before it leaves.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vectorcode_core::api::SearchRequest;

use super::Found;
use crate::context::Area;

const MOST_ANSWERS: usize = 128;
/// Larger answers are rare and not kept: all together take at most as many times this much memory.
const LARGEST_ANSWER_BYTES: usize = 128 * 1024;

/// The answers to the last requests, to one version of the index.
#[derive(Debug, Default)]
pub(crate) struct RecentAnswers {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    version: i64,
    /// The least recently used first.
    answers: VecDeque<Answer>,
}

#[derive(Debug)]
struct Answer {
    request: SearchRequest,
    area: Area,
    found: Arc<Found>,
}

impl RecentAnswers {
    pub fn get(&self, version: i64, request: &SearchRequest, area: &Area) -> Option<Arc<Found>> {
        let mut kept = self.lock();
        if kept.version != version {
            return None;
        }
        let is_same = |answer: &Answer| answer.request == *request && answer.area == *area;
        let place = kept.answers.iter().rposition(is_same)?;
        let answer = kept.answers.remove(place)?;
        let found = answer.found.clone();
        kept.answers.push_back(answer);
        Some(found)
    }

    /// Keeps an answer, unless something could not take part in it, which may be otherwise the next time.
    pub fn keep(&self, version: i64, request: &SearchRequest, area: &Area, found: &Arc<Found>) {
        if !found.notes.is_empty() || found.text_bytes() > LARGEST_ANSWER_BYTES {
            return;
        }
        let mut kept = self.lock();
        if kept.version != version {
            *kept = Kept { version, answers: VecDeque::new() };
        }
        if kept.answers.len() == MOST_ANSWERS {
            kept.answers.pop_front();
        }
        let answer = Answer { request: request.clone(), area: area.clone(), found: found.clone() };
        kept.answers.push_back(answer);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(notes: &[&str]) -> Arc<Found> {
        Arc::new(Found {
            finds: Vec::new(),
            total: 7,
            next: None,
            semantic_coverage: None,
            notes: notes.iter().map(ToString::to_string).collect(),
        })
    }

    fn keep(answers: &RecentAnswers, version: i64, query: &str, notes: &[&str]) {
        answers.keep(version, &SearchRequest::query(query), &Area::default(), &found(notes));
    }

    fn has(answers: &RecentAnswers, version: i64, query: &str) -> bool {
        answers.get(version, &SearchRequest::query(query), &Area::default()).is_some()
    }

    #[test]
    fn an_answer_is_given_again_to_the_same_request_and_index_only() {
        let answers = RecentAnswers::default();
        keep(&answers, 1, "retry", &[]);
        assert!(has(&answers, 1, "retry"));
        assert!(!has(&answers, 1, "retries"));
        assert!(!has(&answers, 2, "retry"));
        let elsewhere = Area { within: vec!["docs".into()], ..Area::default() };
        assert!(answers.get(1, &SearchRequest::query("retry"), &elsewhere).is_none());
    }

    #[test]
    fn a_new_index_makes_all_older_answers_go() {
        let answers = RecentAnswers::default();
        keep(&answers, 1, "retry", &[]);
        keep(&answers, 2, "other", &[]);
        assert!(!has(&answers, 1, "retry") && has(&answers, 2, "other"));
    }

    #[test]
    fn an_answer_that_lacks_something_is_not_kept() {
        let answers = RecentAnswers::default();
        keep(&answers, 1, "retry", &["The provider did not answer."]);
        assert!(!has(&answers, 1, "retry"));
    }

    #[test]
    fn the_least_recently_used_answer_makes_room() {
        let answers = RecentAnswers::default();
        (0..MOST_ANSWERS).for_each(|number| keep(&answers, 1, &number.to_string(), &[]));
        assert!(has(&answers, 1, "0"));
        keep(&answers, 1, "one more", &[]);
        assert!(has(&answers, 1, "0") && !has(&answers, 1, "1"));
    }
}
