//! Chunks that the tables hold and that a search must not see.

use rusqlite::Connection;

use crate::index::fulltext::Figures;
use crate::index::row_bitmap::{RowBitmap, checked_row};

/// Deleted chunks that posting lists still name, and chunks of files that are not in the tree that is asked about
/// ([`super::tree_scope`]).
#[derive(Debug, Default)]
pub(crate) struct HiddenRows {
    pub rows: RowBitmap,
    /// Of those that are not in the tree. Deleted ones are not in the figures of their segments any more.
    pub outside: Figures,
    /// All other rows; `None` where every chunk is in the tree.
    pub visible: Option<RowBitmap>,
}

impl HiddenRows {
    pub fn read(conn: &Connection) -> rusqlite::Result<Self> {
        let mut hidden = Self { rows: dead_rows(conn)?, ..Self::default() };
        // A cross join begins with the files, which are few. SQLite would begin with all chunks.
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

    /// Whether a chunk is in the tree; one that was deleted is not.
    pub fn shows(&self, row: i64) -> bool {
        !self.rows.contains(row)
    }
}

/// The chunks that posting lists still name although they are gone: thousands in an edited index, until its segments are merged.
fn dead_rows(conn: &Connection) -> rusqlite::Result<RowBitmap> {
    let mut dead = conn.prepare_cached("SELECT row FROM dead")?;
    dead.query_map([], |row| Ok(checked_row(row.get(0)?)?))?.collect()
}

fn all_rows(conn: &Connection) -> rusqlite::Result<RowBitmap> {
    let mut last = conn.prepare_cached("SELECT max(id) FROM chunk_rows")?;
    Ok(RowBitmap::up_to(checked_row(last.query_row([], |row| row.get(0))?)?))
}
