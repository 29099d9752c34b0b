//! Reads of the table `meta`.

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::VectorSpace;

use crate::contract::{IndexSpaces, Stage};
use crate::schema;

pub(crate) fn get(conn: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT value FROM meta WHERE key = ?")?.query_row([key], |row| row.get(0)).optional()
}

fn get_known(conn: &Connection, key: &str) -> rusqlite::Result<String> {
    get(conn, key)?.ok_or(rusqlite::Error::QueryReturnedNoRows)
}

pub(crate) fn spaces(conn: &Connection) -> rusqlite::Result<IndexSpaces> {
    Ok(IndexSpaces { statics: space(conn, Stage::Static)?, provider: space(conn, Stage::Provider)? })
}

fn space(conn: &Connection, stage: Stage) -> rusqlite::Result<VectorSpace> {
    let [provider, model, _] = schema::space_keys(stage);
    Ok(VectorSpace::new(get_known(conn, provider)?, get_known(conn, model)?, dimensions(conn, stage)?))
}

pub(crate) fn dimensions(conn: &Connection, stage: Stage) -> rusqlite::Result<usize> {
    let [_, _, key] = schema::space_keys(stage);
    let dimensions = conn.prepare_cached("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?");
    dimensions?.query_row([key], |row| row.get(0))
}
