//! The statements behind a full-text query: which posting lists a word has.

use rusqlite::Connection;

use super::{block, merge};
use crate::contract::WordFrequencies;
use crate::index::fulltext::{Collection, MAX_COMPLETIONS, PostingList, Query, Scores, Term, holding};
use crate::index::row_bitmap::RowBitmap;
use crate::index::top_k::TopK;
use crate::sqlite::hidden_rows::HiddenRows;

/// The best `k` of the visible chunks that hold any of the query's words, among the allowed rows; and the scores of all.
pub(crate) fn rank(
    conn: &Connection,
    hidden: &HiddenRows,
    query: &Query,
    allowed: Option<&RowBitmap>,
    k: usize,
) -> rusqlite::Result<(TopK, Scores)> {
    let collection = if query.terms().is_empty() { None } else { collection(conn, hidden)? };
    let Some(collection) = collection else { return Ok((TopK::new(0), Scores::default())) };
    let lists: Vec<_> = query
        .terms()
        .iter()
        .map(|term| lists_of(conn, &collection, term))
        .collect::<rusqlite::Result<_>>()?;
    Ok(collection.rank(lists.iter().map(Vec::as_slice), &hidden.rows, allowed, k)?)
}

/// How many visible chunks hold each word. The lists are read whole, because only these may count: what was deleted, or belongs
/// to another tree, must not change an answer.
pub(crate) fn word_frequencies(
    conn: &Connection,
    hidden: &HiddenRows,
    words: &[&str],
) -> rusqlite::Result<WordFrequencies> {
    let Some(collection) = collection(conn, hidden)? else {
        return Ok(WordFrequencies { chunks: 0, holding: vec![0; words.len()] });
    };
    let count = |word: &&str| {
        let term = Term { word: (*word).to_owned(), prefix: false };
        Ok(holding(&lists_of(conn, &collection, &term)?, &hidden.rows))
    };
    let holding = words.iter().map(count).collect::<rusqlite::Result<_>>()?;
    Ok(WordFrequencies { chunks: collection.documents(), holding })
}

/// The visible chunks that hold a term.
pub(crate) fn rows_with(conn: &Connection, hidden: &HiddenRows, term: &str) -> rusqlite::Result<Vec<i64>> {
    let Some(collection) = collection(conn, hidden)? else { return Ok(Vec::new()) };
    let term = Term { word: term.to_owned(), prefix: false };
    let lists = lists_of(conn, &collection, &term)?;
    let rows = lists.iter().flat_map(|list| PostingList::new(list)).map(|posting| posting.row);
    Ok(rows.filter(|row| hidden.shows(*row)).collect())
}

/// What BM25 asks of all chunks together; `None` for an index without any words.
fn collection(conn: &Connection, hidden: &HiddenRows) -> rusqlite::Result<Option<Collection>> {
    Ok(Collection::of(&merge::segments(conn)?, hidden.outside)?)
}

/// Whether any chunk has the word, hidden ones included.
pub(crate) fn occurs(conn: &Connection, word: &str) -> rusqlite::Result<bool> {
    for segment in merge::segments(conn)? {
        if block::list(conn, segment.id, word)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The posting lists of a word, or of all words with that prefix, in every segment.
fn lists_of(conn: &Connection, collection: &Collection, term: &Term) -> rusqlite::Result<Vec<Vec<u8>>> {
    let mut lists = Vec::new();
    for segment in &collection.segments {
        if term.prefix {
            block::lists_with_prefix(conn, *segment, &term.word, MAX_COMPLETIONS, &mut lists)?;
        } else {
            lists.extend(block::list(conn, *segment, &term.word)?);
        }
    }
    Ok(lists)
}
