//! Creates the tables, and migrates databases of older schemas.
//!
//! A released schema is never edited: every change is a new entry at the end of [`MIGRATIONS`].

use std::ops::RangeInclusive;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use vectorcode_core::{VERSION, VectorSpace};

use super::{change_log, chunks, meta};
use crate::contract::IndexSpaces;
use crate::index::stage::Stage;

/// The version of `tables.sql`. Lower numbers were used before the first release; such an index is rebuilt.
const FIRST: i64 = 13;

type Migration = fn(&Transaction<'_>) -> rusqlite::Result<()>;

/// Entry `n` migrates schema `FIRST + n` to the next one.
const MIGRATIONS: &[Migration] = &[];

/// The schemas that this program can read. It writes the last one. Stored in `PRAGMA user_version`.
pub(crate) const KNOWN: RangeInclusive<i64> = FIRST..=FIRST + MIGRATIONS.len() as i64;

/// `vect`, stored in `PRAGMA application_id`: distinguishes an index from other SQLite files.
pub(crate) const APPLICATION_ID: i32 = 0x7665_6374;

pub(crate) fn version(conn: &Connection) -> rusqlite::Result<i64> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Creates all tables in an empty database.
pub(crate) fn create(conn: &mut Connection, spaces: &IndexSpaces) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.execute_batch(include_str!("tables.sql"))?;
    run_migrations(&tx, MIGRATIONS, FIRST)?;
    for (stage, space) in [(Stage::Static, &spaces.statics), (Stage::Provider, &spaces.provider)] {
        meta::write_space(&tx, stage, space)?;
    }
    tx.execute("INSERT INTO meta (key, value) VALUES ('vectorcode_version', ?)", [VERSION])?;
    change_log::start(&tx)?;
    tx.commit()
}

/// Migrates an older database.
pub(crate) fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read inside the transaction, so that no other process can migrate the database in the meantime.
    let found = version(&tx)?;
    run_migrations(&tx, MIGRATIONS, found)?;
    tx.commit()
}

fn run_migrations(tx: &Transaction<'_>, migrations: &[Migration], found: i64) -> rusqlite::Result<()> {
    let done = usize::try_from(found - FIRST).unwrap_or(0);
    migrations.iter().skip(done).try_for_each(|migrate| migrate(tx))?;
    tx.pragma_update(None, "user_version", FIRST + migrations.len() as i64)
}

/// Deletes all provider vectors, and prepares the index for vectors of another space.
pub(crate) fn change_provider(conn: &Connection, space: &VectorSpace) -> rusqlite::Result<()> {
    conn.execute_batch(
        "DELETE FROM vec_provider;
         DELETE FROM vec_chunks_codes;
         DELETE FROM refused;",
    )?;
    chunks::make_all_pending(conn)?;
    change_log::append_everything(conn)?;
    meta::write_space(conn, Stage::Provider, space)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Migrations as a later version of this program might have them.
    const MADE_UP: &[Migration] = &[
        |tx| tx.execute_batch("ALTER TABLE labels ADD COLUMN uses INTEGER NOT NULL DEFAULT 1"),
        |tx| tx.execute_batch("UPDATE labels SET uses = uses + 1; DROP TABLE skipped"),
    ];

    fn migrated_from(found: i64) -> Connection {
        let mut conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(include_str!("tables.sql")).unwrap();
        conn.execute("INSERT INTO labels (name) VALUES ('rust')", []).unwrap();
        let tx = conn.transaction().unwrap();
        run_migrations(&tx, &MADE_UP[..(found - FIRST) as usize], FIRST).unwrap();
        run_migrations(&tx, MADE_UP, found).unwrap();
        // A process that comes second has nothing to do.
        run_migrations(&tx, MADE_UP, version(&tx).unwrap()).unwrap();
        tx.commit().unwrap();
        conn
    }

    #[test]
    fn an_older_schema_gets_the_migrations_that_it_lacks_and_keeps_its_rows() {
        for found in FIRST..=FIRST + 2 {
            let conn = migrated_from(found);
            assert_eq!(version(&conn).unwrap(), FIRST + 2);
            let row =
                conn.query_row("SELECT name, uses FROM labels", [], |row| Ok((row.get(0)?, row.get(1)?)));
            assert_eq!(row.unwrap(), ("rust".to_owned(), 2), "from schema {found}");
        }
    }
}
