//! The results of recent searches, for callers that repeat one while the index is unchanged: a page turned back, a query
//! typed again, many clients with one question.
//!
//! What is kept is what the index said. Each hit is still compared with the disk before it is returned.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vectorcode_core::api::SearchRequest;

use super::SearchResult;
use crate::context::SearchArea;

const MAX_ENTRIES: usize = 128;
/// Larger results are rare and not kept, so that the cache takes at most `MAX_ENTRIES` times this much memory (16 MB).
const MAX_RESULT_BYTES: usize = 128 * 1024;

/// The results of the last requests, for one version of the index.
#[derive(Debug, Default)]
pub(crate) struct QueryCache {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    version: i64,
    /// The least recently used first.
    results: VecDeque<CachedResult>,
}

#[derive(Debug)]
struct CachedResult {
    request: SearchRequest,
    area: SearchArea,
    result: Arc<SearchResult>,
}

impl QueryCache {
    pub fn get(&self, version: i64, request: &SearchRequest, area: &SearchArea) -> Option<Arc<SearchResult>> {
        let mut entries = self.lock();
        if entries.version != version {
            return None;
        }
        let is_same = |cached: &CachedResult| cached.request == *request && cached.area == *area;
        let position = entries.results.iter().rposition(is_same)?;
        let cached = entries.results.remove(position)?;
        let result = cached.result.clone();
        entries.results.push_back(cached);
        Some(result)
    }

    /// Keeps a result, unless it has notes: something could not take part in it, which may be different the next time.
    pub fn insert(
        &self,
        version: i64,
        request: &SearchRequest,
        area: &SearchArea,
        result: &Arc<SearchResult>,
    ) {
        if !result.notes.is_empty() || result.text_bytes() > MAX_RESULT_BYTES {
            return;
        }
        let mut entries = self.lock();
        if entries.version != version {
            *entries = Entries { version, results: VecDeque::new() };
        }
        if entries.results.len() == MAX_ENTRIES {
            entries.results.pop_front();
        }
        entries.results.push_back(CachedResult {
            request: request.clone(),
            area: area.clone(),
            result: result.clone(),
        });
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(notes: &[&str]) -> Arc<SearchResult> {
        Arc::new(SearchResult {
            hits: Vec::new(),
            is_weak: false,
            total: 7,
            next: None,
            semantic_coverage: None,
            notes: notes.iter().map(ToString::to_string).collect(),
        })
    }

    fn insert(cache: &QueryCache, version: i64, query: &str, notes: &[&str]) {
        cache.insert(version, &SearchRequest::query(query), &SearchArea::default(), &result(notes));
    }

    fn has(cache: &QueryCache, version: i64, query: &str) -> bool {
        cache.get(version, &SearchRequest::query(query), &SearchArea::default()).is_some()
    }

    #[test]
    fn a_result_is_given_again_for_the_same_request_and_index_only() {
        let cache = QueryCache::default();
        insert(&cache, 1, "retry", &[]);
        assert!(has(&cache, 1, "retry"));
        assert!(!has(&cache, 1, "retries"));
        assert!(!has(&cache, 2, "retry"));
        let elsewhere = SearchArea { within: vec!["docs".into()], ..SearchArea::default() };
        assert!(cache.get(1, &SearchRequest::query("retry"), &elsewhere).is_none());
    }

    #[test]
    fn a_new_version_drops_all_older_results() {
        let cache = QueryCache::default();
        insert(&cache, 1, "retry", &[]);
        insert(&cache, 2, "other", &[]);
        assert!(!has(&cache, 1, "retry") && has(&cache, 2, "other"));
    }

    #[test]
    fn a_result_with_notes_is_not_kept() {
        let cache = QueryCache::default();
        insert(&cache, 1, "retry", &["The provider did not answer."]);
        assert!(!has(&cache, 1, "retry"));
    }

    #[test]
    fn the_least_recently_used_result_makes_room() {
        let cache = QueryCache::default();
        (0..MAX_ENTRIES).for_each(|number| insert(&cache, 1, &number.to_string(), &[]));
        assert!(has(&cache, 1, "0"));
        insert(&cache, 1, "one more", &[]);
        assert!(has(&cache, 1, "0") && !has(&cache, 1, "1"));
    }
}
