//! [`DeadRows`]: the chunks that posting lists still name although they are gone.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::sqlite::change_log;
use crate::sqlite::row_bitmap::{RowBitmap, checked_row};

/// Kept from one question to the next: an edited index has thousands of them until its segments are merged.
#[derive(Debug, Default)]
pub(crate) struct DeadRows(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The last transaction that they know.
    seq: i64,
    rows: Arc<RowBitmap>,
}

impl DeadRows {
    /// The file was replaced.
    pub fn forget(&self) {
        *self.lock() = Known::default();
    }

    pub fn at(&self, conn: &Connection) -> rusqlite::Result<Arc<RowBitmap>> {
        let seq = change_log::last(conn)?;
        let known = self.lock();
        if known.seq == seq {
            return Ok(known.rows.clone());
        }
        drop(known);
        let rows = Arc::new(read(conn)?);
        let mut known = self.lock();
        if known.seq < seq {
            *known = Known { seq, rows: rows.clone() };
        }
        Ok(rows)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(conn: &Connection) -> rusqlite::Result<RowBitmap> {
    let mut dead = conn.prepare_cached("SELECT row FROM dead")?;
    dead.query_map([], |row| checked_row(row.get(0)?))?.collect()
}
