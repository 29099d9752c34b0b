//! The tables, and how a database of an older schema becomes one of today's.
//!
//! A released migration is never edited: a change of the schema is a new entry at the end of [`MIGRATIONS`] and a
//! stored database of the schema before it among the test fixtures.

use rusqlite::{Connection, Transaction, TransactionBehavior};
use vectorcode_core::{VERSION, VectorSpace};

use crate::contract::{IndexSpaces, Stage};

/// Entry `n` turns schema `n` into schema `n + 1`; schema 0 is an empty file.
const MIGRATIONS: &[&str] = &[include_str!("1.sql")];

/// The schema that this program writes, kept in `PRAGMA user_version`.
pub(crate) const CURRENT: i64 = MIGRATIONS.len() as i64;

/// `vect`, kept in `PRAGMA application_id`: tells an index from any other SQLite file.
pub(crate) const APPLICATION_ID: i32 = 0x7665_6374;

/// Vectors in one block of a `vec0` table. Its own default of 1024 makes an insert walk a long chain of overflow
/// pages, and an index of one file half a megabyte.
pub(crate) const VECTORS_PER_BLOCK: usize = 256;

pub(crate) fn version(conn: &Connection) -> rusqlite::Result<i64> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Makes all tables in an empty database.
pub(crate) fn create(conn: &mut Connection, spaces: &IndexSpaces) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    migrate_from(&tx, 0)?;
    for (stage, space) in [(Stage::Static, &spaces.statics), (Stage::Provider, &spaces.provider)] {
        create_vectors(&tx, stage, space.dimensions)?;
        write_space(&tx, stage, space)?;
    }
    tx.execute("INSERT INTO meta (key, value) VALUES ('vectorcode_version', ?)", [VERSION])?;
    start_log(&tx)?;
    tx.commit()
}

/// Brings an older database up to [`CURRENT`].
pub(crate) fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    let found = version(conn)?;
    if found < CURRENT {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        migrate_from(&tx, found)?;
        tx.commit()?;
    }
    Ok(())
}

fn migrate_from(tx: &Transaction<'_>, found: i64) -> rusqlite::Result<()> {
    for migration in &MIGRATIONS[found as usize..] {
        tx.execute_batch(migration)?;
    }
    tx.pragma_update(None, "user_version", CURRENT)
}

/// Takes all vectors of the provider out, and makes room for those of another space.
pub(crate) fn change_provider(conn: &Connection, space: &VectorSpace) -> rusqlite::Result<()> {
    conn.execute_batch(
        "DROP TABLE vec_chunks;
         DELETE FROM refused;
         UPDATE chunks SET pending = (SELECT mtime_ns FROM files WHERE files.id = chunks.file_id);
         INSERT INTO changes (rows) VALUES (NULL);",
    )?;
    create_vectors(conn, Stage::Provider, space.dimensions)?;
    write_space(conn, Stage::Provider, space)
}

fn create_vectors(conn: &Connection, stage: Stage, dimensions: usize) -> rusqlite::Result<()> {
    // A space of a provider that was never there has no dimensions, and no vectors; a table must have one.
    let dimensions = dimensions.max(1);
    conn.execute_batch(&format!(
        "CREATE VIRTUAL TABLE {} USING vec0(embedding int8[{dimensions}], chunk_size={VECTORS_PER_BLOCK})",
        stage.table()
    ))
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

impl Stage {
    /// The `vec0` table that is the record of this stage's vectors.
    pub(crate) fn table(self) -> &'static str {
        match self {
            Self::Static => "vec_static",
            Self::Provider => "vec_chunks",
        }
    }
}

/// The rows of an entry of `changes`, as its blob.
pub(crate) fn changed_blob(rows: &[i64]) -> Vec<u8> {
    rows.iter().flat_map(|row| row.to_le_bytes()).collect()
}

pub(crate) fn changed_rows(blob: &[u8]) -> impl Iterator<Item = i64> {
    blob.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes))
}
