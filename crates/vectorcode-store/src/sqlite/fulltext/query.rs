//! Full-text queries: reads the posting lists of words and ranks chunks.

use rusqlite::Connection;

use super::{block, merge};
use crate::contract::WordFrequencies;
use crate::index::fulltext::{CorpusStats, MAX_COMPLETIONS, PostingList, Query, Scores, Term, holding};
use crate::index::row_bitmap::RowBitmap;
use crate::index::top_k::TopK;
use crate::sqlite::hidden_rows::HiddenRows;

/// The best `k` visible chunks among the allowed rows that contain any of the query's words, and the scores of all chunks.
pub(crate) fn rank(
    conn: &Connection,
    hidden: &HiddenRows,
    query: &Query,
    allowed: Option<&RowBitmap>,
    k: usize,
) -> rusqlite::Result<(TopK, Scores)> {
    let stats = if query.terms().is_empty() { None } else { stats(conn, hidden)? };
    let Some(stats) = stats else { return Ok((TopK::new(0), Scores::default())) };
    let lists: Vec<_> =
        query.terms().iter().map(|term| lists_of(conn, &stats, term)).collect::<rusqlite::Result<_>>()?;
    Ok(stats.rank(lists.iter().map(Vec::as_slice), &hidden.rows, allowed, k)?)
}

/// For each word, the number of visible chunks that contain it. The lists are read completely, because chunks that were deleted
/// or belong to another tree must not influence the result.
pub(crate) fn word_frequencies(
    conn: &Connection,
    hidden: &HiddenRows,
    words: &[&str],
) -> rusqlite::Result<WordFrequencies> {
    let Some(stats) = stats(conn, hidden)? else {
        return Ok(WordFrequencies { chunks: 0, holding: vec![0; words.len()] });
    };
    let count = |word: &&str| {
        let term = Term { word: (*word).to_owned(), prefix: false };
        Ok(holding(&lists_of(conn, &stats, &term)?, &hidden.rows))
    };
    let holding = words.iter().map(count).collect::<rusqlite::Result<_>>()?;
    Ok(WordFrequencies { chunks: stats.documents(), holding })
}

/// The visible chunks that contain a term.
pub(crate) fn rows_with(conn: &Connection, hidden: &HiddenRows, term: &str) -> rusqlite::Result<Vec<i64>> {
    let Some(stats) = stats(conn, hidden)? else { return Ok(Vec::new()) };
    let term = Term { word: term.to_owned(), prefix: false };
    let lists = lists_of(conn, &stats, &term)?;
    let rows = lists.iter().flat_map(|list| PostingList::new(list)).map(|posting| posting.row);
    Ok(rows.filter(|row| hidden.shows(*row)).collect())
}

/// The statistics over all chunks that BM25 needs; `None` for an index without words.
fn stats(conn: &Connection, hidden: &HiddenRows) -> rusqlite::Result<Option<CorpusStats>> {
    Ok(CorpusStats::of(&merge::segments(conn)?, hidden.outside)?)
}

/// Whether any chunk contains the word, including hidden chunks.
pub(crate) fn occurs(conn: &Connection, word: &str) -> rusqlite::Result<bool> {
    for segment in merge::segments(conn)? {
        if block::list(conn, segment.id, word)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The posting lists of a word, or of all words with that prefix, in every segment.
fn lists_of(conn: &Connection, stats: &CorpusStats, term: &Term) -> rusqlite::Result<Vec<Vec<u8>>> {
    let mut lists = Vec::new();
    for segment in &stats.segments {
        if term.prefix {
            block::lists_with_prefix(conn, *segment, &term.word, MAX_COMPLETIONS, &mut lists)?;
        } else {
            lists.extend(block::list(conn, *segment, &term.word)?);
        }
    }
    Ok(lists)
}
