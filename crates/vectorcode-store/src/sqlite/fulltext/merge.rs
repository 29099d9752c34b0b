//! Merges segments, list by list.

use rusqlite::{Connection, Row, Rows};

use super::block::Block;
use super::segment::SegmentWriter;
use crate::index::fulltext::{Extent, PostingList, Segment, segments_to_merge, should_merge_all};
use crate::index::row_bitmap::{RowBitmap, checked_row};

/// Merges the segments that are due, in the transaction that made them due.
pub(crate) fn merge_due_segments(conn: &Connection) -> rusqlite::Result<()> {
    let mut segments = segments(conn)?;
    let dead: i64 = conn.prepare_cached("SELECT count(*) FROM dead")?.query_row([], |row| row.get(0))?;
    if should_merge_all(&segments, dead) {
        return merge(conn, &segments);
    }
    while let Some(sources) = segments_to_merge(&segments) {
        merge(conn, sources)?;
        segments = self::segments(conn)?;
    }
    Ok(())
}

/// Merges all segments into one.
pub(crate) fn merge_all(conn: &Connection) -> rusqlite::Result<()> {
    let segments = segments(conn)?;
    if segments.len() > 1 { merge(conn, &segments) } else { Ok(()) }
}

/// All segments, oldest first.
pub(super) fn segments(conn: &Connection) -> rusqlite::Result<Vec<Segment>> {
    let mut select = conn.prepare_cached(
        "SELECT id, first_row, last_row, documents, words FROM segments ORDER BY first_row",
    )?;
    select.query_map([], segment)?.collect()
}

fn segment(row: &Row<'_>) -> rusqlite::Result<Segment> {
    let extent =
        Extent { first_row: row.get(1)?, last_row: row.get(2)?, documents: row.get(3)?, words: row.get(4)? };
    Ok(Segment { id: row.get(0)?, extent })
}

fn merge(conn: &Connection, sources: &[Segment]) -> rusqlite::Result<()> {
    let (Some(first), Some(last)) = (sources.first(), sources.last()) else { return Ok(()) };
    let rows = (first.extent.first_row, last.extent.last_row);
    let dead = take_dead(conn, rows)?;
    // The live chunks in this range are exactly those in the table.
    let (documents, words): (i64, i64) = conn
        .prepare_cached("SELECT count(*), coalesce(sum(words), 0) FROM chunk_rows WHERE id BETWEEN ? AND ?")?
        .query_row(rows, |row| Ok((row.get(0)?, row.get(1)?)))?;
    if documents > 0 {
        let extent = Extent { first_row: rows.0, last_row: rows.1, documents, words };
        merge_lists(sources, conn, SegmentWriter::new(conn, &extent)?, &dead)?;
    }
    for source in sources {
        conn.prepare_cached("DELETE FROM posting_blocks WHERE segment = ?")?.execute([source.id])?;
        conn.prepare_cached("DELETE FROM segments WHERE id = ?")?.execute([source.id])?;
    }
    Ok(())
}

/// Removes and returns the tombstones of these rows, because the merge leaves these rows out.
fn take_dead(conn: &Connection, (first_row, last_row): (i64, i64)) -> rusqlite::Result<RowBitmap> {
    let mut delete = conn.prepare_cached("DELETE FROM dead WHERE row BETWEEN ? AND ? RETURNING row")?;
    delete.query_map([first_row, last_row], |row| Ok(checked_row(row.get(0)?)?))?.collect()
}

/// Walks all sources at once, in the order of their terms.
fn merge_lists(
    sources: &[Segment],
    conn: &Connection,
    mut writer: SegmentWriter<'_>,
    dead: &RowBitmap,
) -> rusqlite::Result<()> {
    let mut statements = Vec::new();
    for _ in sources {
        statements.push(conn.prepare("SELECT lists FROM posting_blocks WHERE segment = ? ORDER BY first")?);
    }
    let mut cursors = Vec::new();
    for (statement, source) in statements.iter_mut().zip(sources) {
        cursors.extend(Cursor::new(statement.query([source.id])?)?);
    }
    let mut term = Vec::new();
    while let Some(first) = cursors.iter().map(|cursor| cursor.block.term()).min() {
        term.clear();
        term.extend_from_slice(first);
        // The oldest segment comes first, so the rows of a list are in ascending order.
        let mut place = 0;
        while let Some(cursor) = cursors.get_mut(place) {
            let holds_it = cursor.block.term() == term;
            if holds_it {
                let postings = PostingList::new(cursor.block.list());
                writer.extend(postings.filter(|posting| !dead.contains(posting.row)));
            }
            if holds_it && !cursor.advance()? {
                cursors.remove(place);
            } else {
                place += 1;
            }
        }
        writer.write(&term)?;
    }
    writer.finish()
}

/// The current list of one source.
struct Cursor<'s> {
    rows: Rows<'s>,
    block: Block<Vec<u8>>,
}

impl<'s> Cursor<'s> {
    /// `None` for a source without lists.
    fn new(rows: Rows<'s>) -> rusqlite::Result<Option<Self>> {
        let mut cursor = Self { rows, block: Block::default() };
        Ok(cursor.advance()?.then_some(cursor))
    }

    /// Advances to the next list; false if there is none.
    fn advance(&mut self) -> rusqlite::Result<bool> {
        while !self.block.advance()? {
            let Some(row) = self.rows.next()? else { return Ok(false) };
            self.block = Block::new(row.get(0)?);
        }
        Ok(true)
    }
}
