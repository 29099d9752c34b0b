//! BM25 (Robertson and Zaragoza, 2009) over the posting lists of a query's words.
//!
//! A word's frequency in a chunk is the sum of the weights of its occurrences (a simple form of `BM25F`: a word in a symbol
//! counts more than one in the code). The formula is that of [`vectorcode_core::bm25`]. Every posting list is read completely,
//! without pruning such as `WAND`, because ranking uses the scores of all chunks as a signal.

use vectorcode_core::bm25;

use super::merge_policy::Segment;
use super::posting::{Length, PostingList};
use super::tokenizer::{self, Term};
use crate::contract::{ChunkRow, TextQuery};
use crate::index::corrupt::{Corrupt, DecodeResult};
use crate::index::row_bitmap::{RowBitmap, checked_row};
use crate::index::top_k::TopK;

/// A prefix is expanded to at most this many words in each segment.
pub(crate) const MAX_COMPLETIONS: usize = 100;

/// A query, split into the terms of the index.
#[derive(Debug)]
pub(crate) struct Query(Vec<Term>);

impl Query {
    pub fn new(query: &TextQuery) -> Self {
        Self(tokenizer::terms(query))
    }

    pub fn terms(&self) -> &[Term] {
        &self.0
    }
}

/// The score of every chunk, including those that are not among the best.
#[derive(Debug, Default)]
pub(crate) struct Scores {
    first_row: i64,
    values: Vec<f32>,
}

impl Scores {
    /// 0 for a chunk that contains none of the words.
    pub fn of(&self, row: ChunkRow) -> f32 {
        let place = usize::try_from(row.0.wrapping_sub(self.first_row)).ok();
        place.and_then(|place| self.values.get(place)).copied().unwrap_or(0.0)
    }
}

/// The number of chunks, and the number of words in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DocumentCounts {
    pub documents: u64,
    pub words: u64,
}

impl DocumentCounts {
    /// Counts a chunk with this many words.
    pub fn add(&mut self, words: u32) {
        self.documents += 1;
        self.words += u64::from(words);
    }
}

/// The statistics over all chunks that BM25 needs.
#[derive(Debug)]
pub(crate) struct CorpusStats {
    /// Segment ids, oldest first.
    pub segments: Vec<i64>,
    first_row: i64,
    last_row: i64,
    documents: f32,
    /// By [`Length`], the only thing that [`bm25::damping`] depends on.
    thresholds: [f32; 256],
}

impl CorpusStats {
    /// Computes the statistics of these segments, oldest first, without the chunks counted in `outside`. `None` for an index
    /// without words.
    pub fn of(segments: &[Segment], outside: DocumentCounts) -> DecodeResult<Option<Self>> {
        let (mut first_row, mut last_row, mut documents, mut words) = (i64::MAX, 0, 0_u32, 0_u64);
        for Segment { extent, .. } in segments {
            first_row = first_row.min(checked_row(extent.first_row)?);
            last_row = last_row.max(checked_row(extent.last_row)?);
            documents = documents.saturating_add(u32::try_from(extent.documents).map_err(|_| Corrupt)?);
            words += u64::from(u32::try_from(extent.words).map_err(|_| Corrupt)?);
        }
        documents = u32::try_from(outside.documents)
            .ok()
            .and_then(|outside| documents.checked_sub(outside))
            .ok_or(Corrupt)?;
        words = words.checked_sub(outside.words).ok_or(Corrupt)?;
        if documents == 0 || last_row < first_row {
            return Ok(None);
        }
        let average = (words as f32 / documents as f32).max(1.0);
        let thresholds = std::array::from_fn(|code| {
            let relative = Length(code as u8).words() / average;
            bm25::damping(relative)
        });
        let segments = segments.iter().map(|segment| segment.id).collect();
        Ok(Some(Self { segments, first_row, last_row, documents: documents as f32, thresholds }))
    }

    pub fn documents(&self) -> u64 {
        self.documents as u64
    }

    /// The best `k` live chunks among the allowed rows, and the scores of all chunks. `lists` has the posting lists of each word.
    pub fn rank<'l, L: AsRef<[u8]> + 'l>(
        &self,
        lists: impl Iterator<Item = &'l [L]>,
        dead: &RowBitmap,
        allowed: Option<&RowBitmap>,
        k: usize,
    ) -> DecodeResult<(TopK, Scores)> {
        let mut values = vec![0.0; (self.last_row - self.first_row + 1) as usize];
        for lists in lists {
            self.add_scores(lists, dead, &mut values)?;
        }
        let mut best = TopK::new(k);
        for (place, score) in values.iter().enumerate().filter(|(_, score)| **score > 0.0) {
            let row = self.first_row + place as i64;
            if allowed.is_none_or(|allowed| allowed.contains(row)) && !dead.contains(row) {
                best.offer(ChunkRow(row), *score);
            }
        }
        Ok((best, Scores { first_row: self.first_row, values }))
    }

    fn add_scores<L: AsRef<[u8]>>(
        &self,
        lists: &[L],
        dead: &RowBitmap,
        scores: &mut [f32],
    ) -> DecodeResult<()> {
        let listed = listed(lists);
        let holding = (holding(lists, dead) as f32).min(self.documents);
        let idf = bm25::idf(holding, self.documents);
        let mut seen = 0;
        for posting in lists.iter().flat_map(|list| PostingList::new(list.as_ref())) {
            seen += 1;
            let tf = f32::from(posting.weight) / 2.0;
            let threshold = self.thresholds[usize::from(posting.length.0)];
            if let Some(score) = scores.get_mut(posting.row.wrapping_sub(self.first_row) as usize) {
                *score += idf * tf * (bm25::K1 + 1.0) / (tf + threshold);
            }
        }
        if seen == listed { Ok(()) } else { Err(Corrupt) }
    }
}

/// The total number of postings, according to the headers of the lists.
fn listed<L: AsRef<[u8]>>(lists: &[L]) -> u64 {
    lists.iter().fold(0_u64, |sum, list| sum.saturating_add(PostingList::new(list.as_ref()).count))
}

/// The number of postings whose chunks still exist. The idf of a word must not depend on deleted chunks.
pub(crate) fn holding<L: AsRef<[u8]>>(lists: &[L], dead: &RowBitmap) -> u64 {
    if dead.is_empty() {
        return listed(lists);
    }
    let postings = lists.iter().flat_map(|list| PostingList::new(list.as_ref()));
    postings.filter(|posting| !dead.contains(posting.row)).count() as u64
}
