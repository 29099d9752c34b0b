//! Full text: an inverted index in plain tables, ranked by BM25.
//!
//! FTS5 was measured first and replaced. It scores a match through callbacks and keeps positions that nobody asks
//! for: on 100,000 chunks a query of six words, common ones among them, took it 40 times as long as this, and its
//! tables were three times the size.
//!
//! Each transaction adds a *segment*: for every word in it, a list of the chunks that hold it (`postings`). A chunk
//! that is deleted is only noted in `dead`; when eight segments of about one size have come together they are merged
//! into one, and the dead are left out. Row ids rise from segment to segment and are never used twice, so a
//! chunk is in one segment only.

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
