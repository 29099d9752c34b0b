//! The table `meta`: properties of the index itself.

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::VectorSpace;

use super::{schema, snapshot};
use crate::contract::IndexSpaces;
use crate::sqlite::vectors::Stage;

const FILES_VERSION: &str = "facts_version";

pub(crate) fn get(conn: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT value FROM meta WHERE key = ?")?.query_row([key], |row| row.get(0)).optional()
}

fn get_known(conn: &Connection, key: &str) -> rusqlite::Result<String> {
    get(conn, key)?.ok_or(rusqlite::Error::QueryReturnedNoRows)
}

pub(crate) fn spaces(conn: &Connection) -> rusqlite::Result<IndexSpaces> {
    Ok(IndexSpaces { statics: space(conn, Stage::Static)?, provider: space(conn, Stage::Provider)? })
}

pub(crate) fn space(conn: &Connection, stage: Stage) -> rusqlite::Result<VectorSpace> {
    let [provider, model, _] = schema::space_keys(stage);
    Ok(VectorSpace::new(get_known(conn, provider)?, get_known(conn, model)?, dimensions(conn, stage)?))
}

pub(crate) fn dimensions(conn: &Connection, stage: Stage) -> rusqlite::Result<usize> {
    let [_, _, key] = schema::space_keys(stage);
    let dimensions = conn.prepare_cached("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?");
    dimensions?.query_row([key], |row| row.get(0))
}

/// A number that is another one after each transaction that wrote or removed files.
pub(crate) fn files_version(conn: &Connection) -> rusqlite::Result<i64> {
    let written: Option<i64> = get(conn, FILES_VERSION)?.and_then(|version| version.parse().ok());
    written.map_or_else(|| snapshot::last_change(conn), Ok)
}

/// Counts on from the log of changes, so that an index that replaces another has higher numbers.
pub(crate) fn next_files_version(conn: &Connection) -> rusqlite::Result<()> {
    let version = files_version(conn)?.max(snapshot::last_change(conn)?).saturating_add(1);
    conn.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")?
        .execute([FILES_VERSION, &version.to_string()])
        .map(drop)
}
