//! The table `meta`: properties of the index itself.

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::VectorSpace;

use super::change_log;
use super::stage::Stage;
use crate::contract::IndexSpaces;

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
    let [provider, model, _] = stage.space_keys();
    Ok(VectorSpace::new(get_known(conn, provider)?, get_known(conn, model)?, dimensions(conn, stage)?))
}

pub(crate) fn dimensions(conn: &Connection, stage: Stage) -> rusqlite::Result<usize> {
    let [_, _, key] = stage.space_keys();
    let dimensions = conn.prepare_cached("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?");
    dimensions?.query_row([key], |row| row.get(0))
}

pub(crate) fn write_space(conn: &Connection, stage: Stage, space: &VectorSpace) -> rusqlite::Result<()> {
    let mut insert = conn.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")?;
    let [provider, model, dimensions] = stage.space_keys();
    insert.execute([provider, &space.provider])?;
    insert.execute([model, &space.model])?;
    insert.execute([dimensions, &space.dimensions.to_string()])?;
    Ok(())
}

/// A number that is another one after each transaction that wrote or removed files.
pub(crate) fn files_version(conn: &Connection) -> rusqlite::Result<i64> {
    let written: Option<i64> = get(conn, FILES_VERSION)?.and_then(|version| version.parse().ok());
    written.map_or_else(|| change_log::last(conn), Ok)
}

/// Counts on from the log of changes, so that an index that replaces another has higher numbers.
pub(crate) fn next_files_version(conn: &Connection) -> rusqlite::Result<()> {
    let version = files_version(conn)?.max(change_log::last(conn)?).saturating_add(1);
    conn.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")?
        .execute([FILES_VERSION, &version.to_string()])
        .map(drop)
}
