//! Determines the chunks that are stored but must not be visible to a search.
//!
//! BM25 leaves them out of its statistics, so that scores depend only on the tree that is searched.

use rusqlite::Connection;

use crate::index::fulltext::DocumentCounts;
use crate::index::row_bitmap::{RowBitmap, checked_row};

/// Deleted chunks that posting lists still contain, and chunks of files outside the tree being searched ([`super::tree_scope`]).
#[derive(Debug, Default)]
pub(crate) struct HiddenRows {
    pub rows: RowBitmap,
    /// The statistics of the chunks outside the tree. Deleted chunks are already excluded from the statistics of their segments.
    pub outside: DocumentCounts,
    /// All other rows; `None` if every chunk is in the tree.
    pub visible: Option<RowBitmap>,
}

impl HiddenRows {
    pub fn read(conn: &Connection) -> rusqlite::Result<Self> {
        let mut hidden = Self { rows: dead_rows(conn)?, ..Self::default() };
        // A cross join starts with the files, which are few. SQLite would start with all chunks.
        let mut outside = conn.prepare_cached(
            "SELECT c.id, c.words FROM outside_files AS f CROSS JOIN chunk_rows AS c ON c.file_id = f.id",
        )?;
        let mut rows = outside.query([])?;
        let mut visible = None;
        while let Some(row) = rows.next()? {
            let (id, words) = (checked_row(row.get(0)?)?, row.get(1)?);
            if visible.is_none() {
                visible = Some(all_rows(conn)?);
            }
            visible.as_mut().iter_mut().for_each(|visible| visible.remove(id));
            hidden.rows.insert(id);
            hidden.outside.add(words);
        }
        Ok(Self { visible, ..hidden })
    }

    /// Whether a chunk is visible: in the tree and not deleted.
    pub fn shows(&self, row: i64) -> bool {
        !self.rows.contains(row)
    }
}

/// Deleted chunks that posting lists still contain: thousands in an edited index, until its segments are merged.
fn dead_rows(conn: &Connection) -> rusqlite::Result<RowBitmap> {
    let mut dead = conn.prepare_cached("SELECT row FROM dead")?;
    dead.query_map([], |row| Ok(checked_row(row.get(0)?)?))?.collect()
}

fn all_rows(conn: &Connection) -> rusqlite::Result<RowBitmap> {
    let mut last = conn.prepare_cached("SELECT max(id) FROM chunk_rows")?;
    Ok(RowBitmap::up_to(checked_row(last.query_row([], |row| row.get(0))?)?))
}
