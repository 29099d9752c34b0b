//! Answering a full-text query: BM25 over the posting lists of its words.

use rusqlite::Connection;

use super::posting::{Length, PostingList};
use super::tokenizer::{self, Term};
use crate::contract::{ChunkRow, TextQuery};
use crate::sqlite::error::corrupt;
use crate::sqlite::row_bitmap::{RowBitmap, checked_row};
use crate::sqlite::top_k::TopK;

/// How soon repetition stops to count, and how much a chunk's length counts against it.
const SATURATION: f32 = 1.2;
const LENGTH_SHARE: f32 = 0.75;
/// A prefix is expanded to at most this many words in each segment.
const MAX_COMPLETIONS: i64 = 100;

/// A query cut into the words of the index.
#[derive(Debug)]
pub(crate) struct Query(Vec<Term>);

impl Query {
    pub fn new(query: &TextQuery) -> Self {
        Self(tokenizer::terms(query))
    }
}

/// The best `k` of the live chunks that hold any of the query's words, among the allowed rows.
pub(crate) fn rank(
    conn: &Connection,
    query: &Query,
    allowed: Option<&RowBitmap>,
    k: usize,
) -> rusqlite::Result<TopK> {
    let Some(collection) = Collection::read(conn)? else { return Ok(TopK::new(0)) };
    let dead: RowBitmap = conn
        .prepare_cached("SELECT row FROM dead")?
        .query_map([], |row| checked_row(row.get(0)?))?
        .collect::<Result<_, _>>()?;
    let mut scores = vec![0.0; (collection.last_row - collection.first_row + 1) as usize];
    for term in &query.0 {
        collection.add_scores(&lists_of(conn, &collection, term)?, &dead, &mut scores)?;
    }
    let mut best = TopK::new(k);
    for (place, score) in scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0) {
        let row = collection.first_row + place as i64;
        if allowed.is_none_or(|allowed| allowed.contains(row)) && !dead.contains(row) {
            best.offer(ChunkRow(row), score);
        }
    }
    Ok(best)
}

/// What BM25 asks of all chunks together.
struct Collection {
    segments: Vec<i64>,
    first_row: i64,
    last_row: i64,
    documents: f32,
    /// By [`Length`]: what a weight is compared with.
    thresholds: [f32; 256],
}

impl Collection {
    /// `None` for an index without any words.
    fn read(conn: &Connection) -> rusqlite::Result<Option<Self>> {
        let mut select = conn.prepare_cached(
            "SELECT id, first_row, last_row, documents, words FROM segments ORDER BY first_row",
        )?;
        let mut rows = select.query([])?;
        let (mut segments, mut first_row, mut last_row) = (Vec::new(), i64::MAX, 0);
        let (mut documents, mut words) = (0_u32, 0_u64);
        while let Some(row) = rows.next()? {
            segments.push(row.get(0)?);
            first_row = first_row.min(checked_row(row.get(1)?)?);
            last_row = last_row.max(checked_row(row.get(2)?)?);
            documents = documents.saturating_add(row.get::<_, u32>(3)?);
            words += u64::from(row.get::<_, u32>(4)?);
        }
        if documents == 0 || last_row < first_row {
            return Ok(None);
        }
        let average = (words as f32 / documents as f32).max(1.0);
        let thresholds = std::array::from_fn(|code| {
            let relative = Length(code as u8).words() / average;
            SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * relative)
        });
        Ok(Some(Self { segments, first_row, last_row, documents: documents as f32, thresholds }))
    }

    fn add_scores(&self, lists: &[Vec<u8>], dead: &RowBitmap, scores: &mut [f32]) -> rusqlite::Result<()> {
        let listed = lists.iter().fold(0_u64, |sum, list| sum.saturating_add(PostingList::new(list).count));
        let holding = if dead.is_empty() { listed } else { live_postings(lists, dead) };
        let holding = (holding as f32).min(self.documents);
        let rarity = (1.0 + (self.documents - holding + 0.5) / (holding + 0.5)).ln();
        let mut seen = 0;
        for posting in lists.iter().flat_map(|list| PostingList::new(list)) {
            seen += 1;
            let weight = f32::from(posting.weight) / 2.0;
            let threshold = self.thresholds[usize::from(posting.length.0)];
            if let Some(score) = scores.get_mut(posting.row.wrapping_sub(self.first_row) as usize) {
                *score += rarity * weight * (SATURATION + 1.0) / (weight + threshold);
            }
        }
        if seen == listed { Ok(()) } else { Err(corrupt()) }
    }
}

/// How many postings are of chunks that still exist: the rarity of a word must not depend on what was deleted.
fn live_postings(lists: &[Vec<u8>], dead: &RowBitmap) -> u64 {
    let postings = lists.iter().flat_map(|list| PostingList::new(list));
    postings.filter(|posting| !dead.contains(posting.row)).count() as u64
}

/// The posting lists of a word, or of all words with that prefix, in every segment.
fn lists_of(conn: &Connection, collection: &Collection, term: &Term) -> rusqlite::Result<Vec<Vec<u8>>> {
    let mut lists = Vec::new();
    let mut exact = conn.prepare_cached("SELECT list FROM postings WHERE segment = ? AND term = ?")?;
    let mut begun = conn
        .prepare_cached("SELECT list FROM postings WHERE segment = ? AND term >= ? AND term < ? LIMIT ?")?;
    let end = format!("{}{}", term.word, char::MAX);
    for segment in &collection.segments {
        let mut rows = if term.prefix {
            begun.query((segment, &term.word, &end, MAX_COMPLETIONS))?
        } else {
            exact.query((segment, &term.word))?
        };
        while let Some(row) = rows.next()? {
            lists.push(row.get(0)?);
        }
    }
    Ok(lists)
}
