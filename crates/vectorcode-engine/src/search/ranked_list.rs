//! All hits of a query, best first, from which pages are cut. The latest lists are kept, so that a second page comes
//! from the same ranking as the first, whatever was written to the index in between.

use std::collections::VecDeque;
use std::hash::Hasher as _;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHasher;
use vectorcode_core::api::{Cursor, LIKELY_SCORE, RankingId, SearchRequest};
use vectorcode_store::{ChunkFacts, IndexReader};

use super::page::{IndexedHit, Page};
use super::query::Query;
use super::ranking::Ranking;
use super::score::ScoredGroup;
use super::signals::Signals;
use super::{SearchKey, SearchResult, focus};
use crate::error::EngineError;

/// A list has up to a thousand candidates, a hundred kilobytes.
const MAX_LISTS: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct RankedList {
    pub id: RankingId,
    groups: Vec<ScoredGroup>,
    /// The candidates that the groups are made of.
    chunks: Vec<Arc<ChunkFacts>>,
    /// Set if the request asks for the contribution of each signal.
    pub explained: Option<(Ranking, Vec<Signals>)>,
    query: Query,
    semantic_coverage: Option<f32>,
    pub notes: Vec<String>,
}

impl RankedList {
    pub fn new(groups: Vec<ScoredGroup>, chunks: Vec<Arc<ChunkFacts>>, query: Query) -> Self {
        let id = fingerprint(&groups, &chunks);
        Self { id, groups, chunks, explained: None, query, semantic_coverage: None, notes: Vec::new() }
    }

    pub fn with_coverage(self, semantic_coverage: Option<f32>) -> Self {
        Self { semantic_coverage, ..self }
    }

    /// The page that the request asks for. A hit whose chunks no longer exist is left out.
    pub fn page(
        &self,
        reader: &dyn IndexReader,
        request: &SearchRequest,
    ) -> Result<SearchResult, EngineError> {
        let page = Page::cut(self.groups.clone(), request);
        let explained = self.explained.as_ref().map(|(ranking, signals)| (ranking, signals.as_slice()));
        let hits = page.hits(reader, &self.chunks, explained)?;
        let mut notes = self.notes.clone();
        if request.cursor.and_then(|cursor| cursor.ranking).is_some_and(|asked| asked != self.id) {
            notes.push("The index changed since the first page: this page comes from a new ranking.".into());
        }
        let likely_before = likely(&hits);
        let mut hits = focus::on_kinds(hits, &request.kinds, reader, &self.query)?;
        // A narrowed hit has a lower score than its whole chunk.
        let count = hits.len();
        hits.retain(|hit| request.threshold.is_none_or(|threshold| hit.score() >= threshold));
        Ok(SearchResult {
            ranking: self.id,
            best: page.best,
            total: page.total - (count - hits.len()),
            likely: page.likely - (likely_before - likely(&hits)),
            hits,
            next: page.next.map(|next| Cursor { ranking: Some(self.id), ..next }),
            semantic_coverage: self.semantic_coverage,
            notes,
        })
    }
}

fn likely(hits: &[IndexedHit]) -> usize {
    hits.iter().filter(|hit| hit.score() >= LIKELY_SCORE).count()
}

/// Equal for lists with the same places and scores in the same order, even in another process.
fn fingerprint(groups: &[ScoredGroup], chunks: &[Arc<ChunkFacts>]) -> RankingId {
    let mut hasher = FxHasher::default();
    for scored in groups {
        let chunk = &chunks[scored.group.best.index];
        hasher.write(chunk.path.as_bytes());
        hasher.write_u32(chunk.span.byte_start);
        hasher.write_u32(scored.score.to_bits());
    }
    RankingId((hasher.finish() >> 32) as u32)
}

/// The lists of the latest requests, least recently used first.
#[derive(Debug, Default)]
pub(crate) struct RecentLists(Mutex<VecDeque<(SearchKey, Arc<RankedList>)>>);

impl RecentLists {
    /// The list that the cursor of a request names, if it belongs to the same request.
    pub fn get(&self, key: &SearchKey) -> Option<Arc<RankedList>> {
        let id = key.request.cursor?.ranking?;
        let asked = any_page(key);
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let position = lists.iter().position(|(key, list)| list.id == id && *key == asked)?;
        let kept = lists.remove(position)?;
        let list = kept.1.clone();
        lists.push_back(kept);
        Some(list)
    }

    pub fn insert(&self, key: &SearchKey, list: RankedList) {
        let asked = any_page(key);
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lists.retain(|(key, kept)| kept.id != list.id || *key != asked);
        if lists.len() == MAX_LISTS {
            lists.pop_front();
        }
        lists.push_back((asked, Arc::new(list)));
    }
}

/// The request without its page, so that all its pages are equal.
fn any_page(key: &SearchKey) -> SearchKey {
    let request = SearchRequest { limit: 0, cursor: None, ..key.request.clone() };
    SearchKey { request, ..key.clone() }
}
