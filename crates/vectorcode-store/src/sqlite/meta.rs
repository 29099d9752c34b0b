//! Reads and writes the table `meta`: properties of the index itself.

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::{CommitId, VectorSpace};

use super::change_log;
use crate::contract::IndexSpaces;
use crate::index::stage::Stage;

const FILES_VERSION: &str = "facts_version";
const HISTORY_VERSION: &str = "history_version";
/// The key of the main worktree. Linked ones have their own keys ([`super::tree_scope::TreeScope::meta_key`]).
pub(crate) const HISTORY_HEAD: &str = "history_head";

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

/// A number that changes with each transaction that writes or removes files.
pub(crate) fn files_version(conn: &Connection) -> rusqlite::Result<i64> {
    version_of(conn, FILES_VERSION)
}

pub(crate) fn next_files_version(conn: &Connection) -> rusqlite::Result<()> {
    next_version_of(conn, FILES_VERSION)
}

/// A number that changes with each transaction that writes history.
pub(crate) fn history_version(conn: &Connection) -> rusqlite::Result<i64> {
    version_of(conn, HISTORY_VERSION)
}

pub(crate) fn next_history_version(conn: &Connection) -> rusqlite::Result<()> {
    next_version_of(conn, HISTORY_VERSION)
}

fn version_of(conn: &Connection, key: &str) -> rusqlite::Result<i64> {
    let written: Option<i64> = get(conn, key)?.and_then(|version| version.parse().ok());
    written.map_or_else(|| change_log::last(conn), Ok)
}

/// Continues from the change log, so that an index which replaces another one has higher numbers.
fn next_version_of(conn: &Connection, key: &str) -> rusqlite::Result<()> {
    let version = version_of(conn, key)?.max(change_log::last(conn)?).saturating_add(1);
    set(conn, key, &version.to_string())
}

/// The commit that the history was read from.
pub(crate) fn history_head(conn: &Connection, key: &str) -> rusqlite::Result<Option<CommitId>> {
    Ok(get(conn, key)?.and_then(|head| CommitId::from_hex(&head)))
}

/// The history heads of the other worktrees.
pub(crate) fn other_history_heads(conn: &Connection, key: &str) -> rusqlite::Result<Vec<CommitId>> {
    let mut heads = conn.prepare_cached(
        "SELECT value FROM meta WHERE key <> ?1 AND (key = ?2 OR key GLOB 'checkout */' || ?2)",
    )?;
    let heads = heads.query_map([key, HISTORY_HEAD], |row| row.get::<_, String>(0))?;
    heads.filter_map(|head| head.map(|head| CommitId::from_hex(&head)).transpose()).collect()
}

pub(crate) fn write_history_head(conn: &Connection, key: &str, head: &CommitId) -> rusqlite::Result<()> {
    set(conn, key, &head.to_string())
}

/// Forgets the history heads of all worktrees. Called when all commits are deleted.
pub(crate) fn forget_history(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute(
        "DELETE FROM meta WHERE (key GLOB 'history_*' OR key GLOB 'checkout */history_*') AND key <> ?",
        [HISTORY_VERSION],
    )
    .map(drop)
}

pub(crate) fn set(conn: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")?
        .execute([key, value])
        .map(drop)
}
