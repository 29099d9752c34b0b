//! Merging segments, so that a query has few to look into and deleted chunks go away.

use rusqlite::{Connection, Row, Rows};

use super::block::Block;
use super::posting::PostingList;
use super::segment::{Extent, SegmentWriter};
use crate::sqlite::row_bitmap::{RowBitmap, checked_row};

/// So many segments of about one size become one, of about this many times that size.
const FAN_IN: usize = 8;
/// When one chunk in this many is dead, all segments are merged.
const DEAD_SHARE: i64 = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub id: i64,
    pub extent: Extent,
}

impl Segment {
    fn size_class(&self) -> u32 {
        self.extent.documents.max(1).ilog(FAN_IN as i64)
    }
}

/// Merges what has come due, in the transaction that made it so.
pub(crate) fn merge_where_due(conn: &Connection) -> rusqlite::Result<()> {
    let mut segments = segments(conn)?;
    let dead: i64 = conn.prepare_cached("SELECT count(*) FROM dead")?.query_row([], |row| row.get(0))?;
    if are_all_due(&segments, dead) {
        return merge(conn, &segments);
    }
    while let Some(due) = due(&segments) {
        merge(conn, due)?;
        segments = self::segments(conn)?;
    }
    Ok(())
}

/// Leaves one segment of all.
pub(crate) fn merge_all(conn: &Connection) -> rusqlite::Result<()> {
    let segments = segments(conn)?;
    if segments.len() > 1 { merge(conn, &segments) } else { Ok(()) }
}

/// Whether so many chunks are dead that all segments are to be merged.
pub(crate) fn are_all_due(segments: &[Segment], dead: i64) -> bool {
    let documents = segments.iter().fold(0_i64, |sum, segment| sum.saturating_add(segment.extent.documents));
    dead > 0 && dead.saturating_mul(DEAD_SHARE) >= documents.saturating_add(dead)
}

/// All segments, the oldest first.
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

/// The newest segments, when enough of about one size are among them. Only neighbours are merged, so that the rows
/// of a segment stay together; smaller ones in between go along.
pub(crate) fn due(segments: &[Segment]) -> Option<&[Segment]> {
    let largest = segments.iter().map(Segment::size_class).max()?;
    (0..=largest).find_map(|class| {
        let older = segments.iter().rposition(|segment| segment.size_class() > class);
        let newest = &segments[older.map_or(0, |place| place + 1)..];
        let alike = newest.iter().filter(|segment| segment.size_class() == class).count();
        (alike >= FAN_IN).then_some(newest)
    })
}

fn merge(conn: &Connection, sources: &[Segment]) -> rusqlite::Result<()> {
    let (Some(first), Some(last)) = (sources.first(), sources.last()) else { return Ok(()) };
    let rows = (first.extent.first_row, last.extent.last_row);
    let dead = take_dead(conn, rows)?;
    // The live chunks of these rows are exactly those of the table.
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

/// The dead of these rows, which are forgotten with the merge that leaves them out.
fn take_dead(conn: &Connection, (first_row, last_row): (i64, i64)) -> rusqlite::Result<RowBitmap> {
    let mut delete = conn.prepare_cached("DELETE FROM dead WHERE row BETWEEN ? AND ? RETURNING row")?;
    delete.query_map([first_row, last_row], |row| checked_row(row.get(0)?))?.collect()
}

/// Walks all sources at once in the order of their terms.
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
        // The oldest segment comes first, so the rows of a list rise.
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

/// The next list of one source.
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

    /// Goes on to the next list, and says whether there is one.
    fn advance(&mut self) -> rusqlite::Result<bool> {
        while !self.block.advance()? {
            let Some(row) = self.rows.next()? else { return Ok(false) };
            self.block = Block::new(row.get(0)?);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(documents: &[i64]) -> Vec<Segment> {
        let segment = |(place, documents): (usize, &i64)| Segment {
            id: place as i64,
            extent: Extent {
                first_row: place as i64,
                last_row: place as i64,
                documents: *documents,
                words: 1,
            },
        };
        documents.iter().enumerate().map(segment).collect()
    }

    fn due_count(documents: &[i64]) -> usize {
        due(&sizes(documents)).map_or(0, <[Segment]>::len)
    }

    #[test]
    fn eight_of_a_size_are_merged_and_a_large_one_is_left_alone() {
        assert_eq!(due_count(&[100_000, 1, 1, 1, 1, 1, 1, 1]), 0);
        assert_eq!(due_count(&[100_000, 1, 1, 1, 1, 1, 1, 1, 1]), 8);
        assert_eq!(due_count(&[100_000, 600, 600, 600, 600, 2, 600, 600, 600, 600]), 9);
        assert_eq!(due_count(&[]), 0);
    }

    #[test]
    fn many_small_writes_leave_few_segments() {
        let mut documents: Vec<i64> = Vec::new();
        for _ in 0..5000 {
            documents.push(1);
            while let Some(merged) = due(&sizes(&documents)).map(<[Segment]>::len) {
                let tail = documents.split_off(documents.len() - merged);
                documents.push(tail.iter().sum());
            }
            assert!(documents.len() <= 7 * 5, "{documents:?}");
        }
    }
}
