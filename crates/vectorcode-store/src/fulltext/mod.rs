//! Full text: an inverted index in plain tables, ranked by BM25.
//!
//! FTS5 was measured first and replaced. It scores each match through callbacks and looks its length up in another
//! table: for a query of six words, common ones among them, it took 6.9 ms on 10,000 chunks and 78 ms on 100,000,
//! where this takes 0.14 ms and 0.9 ms on the same machine.
//!
//! Each transaction adds a *segment*: for every word in it, a list of the chunks that hold it (`postings`). A chunk
//! that is deleted is only noted in `dead`; when eight segments of about one size have come together they are merged
//! into one, and the dead are left out. Row ids rise from segment to segment and are never used twice, so a
//! chunk is in one segment only.

mod lexicon;
mod merge;
mod posting;
mod rank;
mod segment;
mod tokens;

pub(crate) use merge::merge_where_due;
pub(crate) use rank::{Query, rank};
pub(crate) use segment::SegmentBuilder;

use rusqlite::Connection;

/// Says that a chunk is no longer there.
pub(crate) fn forget(conn: &Connection, row: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT INTO dead (row) VALUES (?)")?.execute([row]).map(drop)
}
