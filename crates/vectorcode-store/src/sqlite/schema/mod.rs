//! The tables, and how a database of an older schema becomes one of today's.
//!
//! A released migration is never edited: a change of the schema is a new entry at the end of [`MIGRATIONS`] and a
//! stored database of the schema before it among the test fixtures.

mod vec0;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use vectorcode_core::{VERSION, VectorSpace};

use crate::contract::IndexSpaces;
use crate::index::stage::Stage;
use crate::sqlite::{change_log, chunk_words, chunks, fulltext, meta, name_words, vectors};

/// Entry `n` turns schema `n` into schema `n + 1`; schema 0 is an empty file.
const MIGRATIONS: &[fn(&Transaction<'_>) -> rusqlite::Result<()>] = &[
    |tx| tx.execute_batch(include_str!("1.sql")),
    |tx| {
        let vectors = vec0::take_out(tx)?;
        tx.execute_batch(include_str!("2.sql"))?;
        vec0::put_back(tx, &vectors)
    },
    |tx| tx.execute_batch(include_str!("3.sql")),
    |tx| {
        tx.execute_batch(include_str!("4.sql"))?;
        let tables = [(Stage::Static, "vec_static"), (Stage::Provider, "vec_chunks")];
        tables.into_iter().try_for_each(|(stage, table)| vectors::write_all_codes(tx, stage, table))
    },
    |tx| tx.execute_batch(include_str!("5.sql")),
    |tx| {
        tx.execute_batch(include_str!("6.sql"))?;
        chunk_words::write_all(tx)
    },
    |tx| tx.execute_batch(include_str!("7.sql")),
    |tx| {
        tx.execute_batch(include_str!("8.sql"))?;
        fulltext::pack_rows(tx)?;
        tx.execute_batch("DROP TABLE postings")
    },
    |tx| {
        tx.execute_batch(include_str!("9.sql"))?;
        name_words::pack_rows(tx)?;
        tx.execute_batch("DROP TABLE name_words")
    },
];

/// The schema that this program writes, kept in `PRAGMA user_version`.
pub(crate) const CURRENT: i64 = MIGRATIONS.len() as i64;

/// `vect`, kept in `PRAGMA application_id`: tells an index from any other SQLite file.
pub(crate) const APPLICATION_ID: i32 = 0x7665_6374;

pub(crate) fn version(conn: &Connection) -> rusqlite::Result<i64> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Makes all tables in an empty database.
pub(crate) fn create(conn: &mut Connection, spaces: &IndexSpaces) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    migrate_from(&tx, 0)?;
    for (stage, space) in [(Stage::Static, &spaces.statics), (Stage::Provider, &spaces.provider)] {
        meta::write_space(&tx, stage, space)?;
    }
    tx.execute("INSERT INTO meta (key, value) VALUES ('vectorcode_version', ?)", [VERSION])?;
    change_log::start(&tx)?;
    tx.commit()
}

/// Brings an older database up to [`CURRENT`].
pub(crate) fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    if version(conn)? >= CURRENT {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again now that no other process can migrate it meanwhile.
    let found = version(&tx)?;
    migrate_from(&tx, found)?;
    tx.commit()
}

fn migrate_from(tx: &Transaction<'_>, found: i64) -> rusqlite::Result<()> {
    for migration in MIGRATIONS.iter().skip(found as usize) {
        migration(tx)?;
    }
    tx.pragma_update(None, "user_version", CURRENT)
}

/// Takes all vectors of the provider out, and makes room for those of another space.
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
