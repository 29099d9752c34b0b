//! The table `meta`: facts about the index itself.

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::VectorSpace;

use crate::contract::{IndexSpaces, Stage};
use crate::{live, schema};

const FACTS_VERSION: &str = "facts_version";

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
pub(crate) fn facts_version(conn: &Connection) -> rusqlite::Result<i64> {
    let written: Option<i64> = get(conn, FACTS_VERSION)?.and_then(|version| version.parse().ok());
    written.map_or_else(|| live::last_change(conn), Ok)
}

/// Counts on from the log of changes, so that an index that replaces another has higher numbers.
pub(crate) fn next_facts_version(conn: &Connection) -> rusqlite::Result<()> {
    let version = 1 + facts_version(conn)?.max(live::last_change(conn)?);
    conn.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")?
        .execute([FACTS_VERSION, &version.to_string()])
        .map(drop)
}
