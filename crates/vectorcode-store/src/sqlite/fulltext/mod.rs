//! Full-text search in the tables `segments`, `posting_blocks` and `dead`.

mod block;
mod merge;
mod query;
mod segment;

use rusqlite::Connection;

use super::hidden_rows::HiddenRows;

pub(crate) use self::merge::{merge_all, merge_due_segments};
pub(crate) use self::query::{occurs, rank, rows_with, word_frequencies};
pub(crate) use self::segment::SegmentInBackground;

/// The number of chunks. Every chunk is in one segment, and the statistics of segments count live chunks; counting the chunk rows
/// would read all of them.
pub(crate) fn documents(conn: &Connection, hidden: &HiddenRows) -> rusqlite::Result<u64> {
    let all: u64 = conn
        .prepare_cached("SELECT coalesce(sum(documents), 0) FROM segments")?
        .query_row([], |row| row.get(0))?;
    Ok(all.saturating_sub(hidden.outside.documents))
}

/// Marks a chunk as deleted whose segment is not written yet.
pub(crate) fn mark_dead(conn: &Connection, row: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO dead (row) VALUES (?)")?.execute([row]).map(drop)
}

/// Marks a chunk as deleted. The statistics of its segment are updated to count only live chunks, so that ranking is the same as
/// if it had never existed.
pub(crate) fn forget(conn: &Connection, row: i64, words: i64) -> rusqlite::Result<()> {
    mark_dead(conn, row)?;
    conn.prepare_cached(
        "UPDATE segments SET documents = documents - 1, words = words - ?2
         WHERE ?1 BETWEEN first_row AND last_row",
    )?
    .execute([row, words])
    .map(drop)
}
