//! Caches the results of recent searches, for callers that repeat one while the index is unchanged: going back a
//! page, typing a query again, many clients with the same query.
//!
//! The cache holds results from the index. Each hit is still compared with the disk before it is returned.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vectorcode_core::api::{SearchRequest, SearchTarget};

use super::{Depth, SearchResult};
use crate::context::SearchArea;

const MAX_ENTRIES: usize = 128;
/// Larger results are rare and not cached, so that the cache takes at most `MAX_ENTRIES` times this much memory (16
/// MB).
const MAX_RESULT_BYTES: usize = 128 * 1024;
/// A query may be megabytes long. Repeating one that long is rare enough not to cache it.
const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// The results of the latest requests, for one version of the index.
#[derive(Debug, Default)]
pub(crate) struct QueryCache {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    version: i64,
    /// Least recently used first.
    results: VecDeque<CachedResult>,
}

#[derive(Debug)]
struct CachedResult {
    key: SearchKey,
    result: Arc<SearchResult>,
}

/// Everything a result depends on, apart from the index and the settings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchKey {
    pub request: SearchRequest,
    pub area: SearchArea,
    pub depth: Depth,
}

impl SearchKey {
    /// The size of the parts of a request that have no fixed limit.
    fn text_bytes(&self) -> usize {
        let request = &self.request;
        let target = match &request.target {
            SearchTarget::Query(text) | SearchTarget::Snippet(text) => text.len(),
            SearchTarget::Location { path, .. } => path.len(),
        };
        let lines = &request.lines;
        let filters = [&request.languages, &request.paths, &request.kinds, &lines.any, &lines.none];
        target + filters.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

impl QueryCache {
    pub fn get(&self, version: i64, key: &SearchKey) -> Option<Arc<SearchResult>> {
        let mut entries = self.lock();
        if entries.version != version {
            return None;
        }
        let position = entries.results.iter().rposition(|cached| cached.key == *key)?;
        let cached = entries.results.remove(position)?;
        let result = cached.result.clone();
        entries.results.push_back(cached);
        Some(result)
    }

    /// Caches a result, unless it has notes: something could not take part in it, which may be different next time.
    pub fn insert(&self, version: i64, key: &SearchKey, result: &Arc<SearchResult>) {
        let is_large = result.text_bytes() > MAX_RESULT_BYTES || key.text_bytes() > MAX_REQUEST_BYTES;
        if !result.notes.is_empty() || is_large {
            return;
        }
        let mut entries = self.lock();
        if entries.version != version {
            *entries = Entries { version, results: VecDeque::new() };
        }
        if entries.results.len() == MAX_ENTRIES {
            entries.results.pop_front();
        }
        entries.results.push_back(CachedResult { key: key.clone(), result: result.clone() });
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::api::RankingId;

    use super::*;

    fn result(notes: &[&str]) -> Arc<SearchResult> {
        Arc::new(SearchResult {
            hits: Vec::new(),
            ranking: RankingId(0),
            best: 0.0,
            total: 7,
            likely: 7,
            next: None,
            semantic_coverage: None,
            notes: notes.iter().map(ToString::to_string).collect(),
        })
    }

    #[test]
    fn long_questions_and_filters_are_not_kept() {
        let cache = QueryCache::default();
        let (long, mut filtered) = (key(&"x".repeat(MAX_REQUEST_BYTES + 1)), key("short"));
        filtered.request.paths = vec!["src/".into(); MAX_REQUEST_BYTES];
        for key in [long, filtered] {
            cache.insert(1, &key, &result(&[]));
            assert!(cache.get(1, &key).is_none());
        }
        cache.insert(1, &key("short"), &result(&[]));
        assert!(cache.get(1, &key("short")).is_some());
    }

    fn key(query: &str) -> SearchKey {
        SearchKey { request: SearchRequest::query(query), area: SearchArea::default(), depth: Depth::Whole }
    }

    fn insert(cache: &QueryCache, version: i64, query: &str, notes: &[&str]) {
        cache.insert(version, &key(query), &result(notes));
    }

    fn has(cache: &QueryCache, version: i64, query: &str) -> bool {
        cache.get(version, &key(query)).is_some()
    }

    #[test]
    fn a_result_is_given_again_for_the_same_request_and_index_only() {
        let cache = QueryCache::default();
        insert(&cache, 1, "retry", &[]);
        assert!(has(&cache, 1, "retry"));
        assert!(!has(&cache, 1, "retries"));
        assert!(!has(&cache, 2, "retry"));
        let elsewhere = SearchArea { within: vec!["docs".into()], ..SearchArea::default() };
        assert!(cache.get(1, &SearchKey { area: elsewhere, ..key("retry") }).is_none());
    }

    #[test]
    fn a_glance_and_a_whole_question_do_not_answer_each_other() {
        let cache = QueryCache::default();
        let glance = |query| SearchKey { depth: Depth::Glance, ..key(query) };
        cache.insert(1, &glance("retry"), &result(&[]));
        assert!(cache.get(1, &glance("retry")).is_some() && !has(&cache, 1, "retry"));
        insert(&cache, 1, "other", &[]);
        assert!(cache.get(1, &glance("other")).is_none(), "the result would depend on earlier requests");
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
