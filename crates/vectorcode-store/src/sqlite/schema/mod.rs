//! The tables, and how a database of an older schema becomes one of today's.
//!
//! A released migration is never edited: a change of the schema is a new entry at the end of [`MIGRATIONS`] and a
//! stored database of the schema before it among the test fixtures.

mod vec0;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use vectorcode_core::{VERSION, VectorSpace};

use crate::contract::IndexSpaces;
use crate::sqlite::vectors::Stage;

/// Entry `n` turns schema `n` into schema `n + 1`; schema 0 is an empty file.
const MIGRATIONS: &[fn(&Transaction<'_>) -> rusqlite::Result<()>] = &[
    |tx| tx.execute_batch(include_str!("1.sql")),
    |tx| {
        let vectors = vec0::take_out(tx)?;
        tx.execute_batch(include_str!("2.sql"))?;
        vec0::put_back(tx, &vectors)
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
        write_space(&tx, stage, space)?;
    }
    tx.execute("INSERT INTO meta (key, value) VALUES ('vectorcode_version', ?)", [VERSION])?;
    start_log(&tx)?;
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
        "DELETE FROM vec_chunks;
         DELETE FROM refused;
         UPDATE chunks SET pending = (SELECT mtime_ns FROM files WHERE files.id = chunks.file_id);
         INSERT INTO changes (rows) VALUES (NULL);",
    )?;
    write_space(conn, Stage::Provider, space)
}

fn write_space(conn: &Connection, stage: Stage, space: &VectorSpace) -> rusqlite::Result<()> {
    let mut insert = conn.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")?;
    let [provider, model, dimensions] = space_keys(stage);
    insert.execute([provider, &space.provider])?;
    insert.execute([model, &space.model])?;
    insert.execute([dimensions, &space.dimensions.to_string()])?;
    Ok(())
}

/// The keys of `meta` that name a space: provider, model, dimensions.
pub(crate) fn space_keys(stage: Stage) -> [&'static str; 3] {
    match stage {
        Stage::Provider => ["provider", "model", "dimensions"],
        Stage::Static => ["static_provider", "static_model", "static_dimensions"],
    }
}

/// The log begins at the time of creation, so that an index that replaces another is seen to be another one.
fn start_log(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(1, |elapsed| elapsed.as_nanos() as i64);
    tx.execute("INSERT INTO changes (seq, rows) VALUES (?, NULL)", [now])?;
    Ok(())
}

/// The rows of an entry of `changes`, as its blob.
pub(crate) fn changed_blob(rows: &[i64]) -> Vec<u8> {
    rows.iter().flat_map(|row| row.to_le_bytes()).collect()
}

pub(crate) fn changed_rows(blob: &[u8]) -> impl Iterator<Item = i64> {
    blob.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes))
}
