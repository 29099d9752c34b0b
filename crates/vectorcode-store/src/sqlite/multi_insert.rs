//! Inserting many rows with few statements.
//!
//! To start a statement opens a cursor for the table and for each of its indexes, and to end it closes them. Rows of a few
//! integers cost more of that than of themselves.
//!
//! A statement that may fail half-way keeps copies of the pages that it changes, to undo it alone. `OR FAIL` saves about half of
//! them: whoever inserts here gives the whole transaction up.

use rusqlite::types::ToSql;
use rusqlite::{CachedStatement, Connection, Statement};

/// Rows of one statement. A statement of 16 rows and 14 columns is compiled in a fifth of a millisecond, once a connection.
const GROUP: usize = 16;

pub(crate) struct MultiInsert<'c> {
    one: CachedStatement<'c>,
    group: CachedStatement<'c>,
}

impl<'c> MultiInsert<'c> {
    /// `into` is the table with its columns.
    pub fn new(conn: &'c Connection, into: &str, columns: usize) -> rusqlite::Result<Self> {
        let row = format!("({})", vec!["?"; columns].join(", "));
        let one = conn.prepare_cached(&format!("INSERT OR FAIL INTO {into} VALUES {row}"))?;
        let group = conn
            .prepare_cached(&format!("INSERT OR FAIL INTO {into} VALUES {}", vec![row; GROUP].join(", ")))?;
        Ok(Self { one, group })
    }

    /// Inserts the rows in their order; `bind` gives the values of each.
    pub fn insert<T>(
        &mut self,
        rows: &[T],
        mut bind: impl FnMut(&mut RowValues<'_, 'c>, &T) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let (groups, rest) = rows.as_chunks::<GROUP>();
        for group in groups {
            let mut values = RowValues { statement: &mut self.group, bound: 0 };
            group.iter().try_for_each(|row| bind(&mut values, row))?;
            self.group.raw_execute()?;
        }
        for row in rest {
            bind(&mut RowValues { statement: &mut self.one, bound: 0 }, row)?;
            self.one.raw_execute()?;
        }
        Ok(())
    }
}

/// Where the values of the next row go.
pub(crate) struct RowValues<'s, 'c> {
    statement: &'s mut Statement<'c>,
    bound: usize,
}

impl RowValues<'_, '_> {
    pub fn push(&mut self, value: impl ToSql) -> rusqlite::Result<()> {
        self.bound += 1;
        self.statement.raw_bind_parameter(self.bound, value)
    }

    /// Values of one type.
    pub fn extend<const N: usize>(&mut self, values: [impl ToSql; N]) -> rusqlite::Result<()> {
        values.into_iter().try_for_each(|value| self.push(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_inserted_once_and_in_order() {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, a, b)").unwrap();
        for count in [0, 1, GROUP - 1, GROUP, GROUP + 1, 3 * GROUP + 2] {
            conn.execute("DELETE FROM rows", []).unwrap();
            let rows: Vec<i64> = (0..count as i64).collect();
            let mut insert = MultiInsert::new(&conn, "rows (a, b)", 2).unwrap();
            insert.insert(&rows, |values, row| values.extend([*row, -row])).unwrap();
            let mut select = conn.prepare("SELECT a FROM rows WHERE b = -a ORDER BY id").unwrap();
            let found: Vec<i64> =
                select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
            assert_eq!(found, rows);
        }
    }
}
