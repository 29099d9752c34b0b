//! Reads and writes the table `trees`: the file versions of each indexed commit.
//!
//! Data derived from a file belongs to its content: a row of `source_files` is a path with a hash and a git blob id. A tree is the
//! set of these rows that a commit has, as a packed bitmap. A row that the main worktree does not use is *parked*: it stays until
//! no tree and no linked worktree has it.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, Row};
use vectorcode_core::CommitId;

use super::error::corrupt;
use super::files;
use super::tree_scope::StoredTree;
use crate::contract::{FileRow, StoredContent, TreeKey};
use crate::index::row_bitmap::RowBitmap;

pub(super) fn find(conn: &Connection, key: &TreeKey) -> rusqlite::Result<Option<StoredTree>> {
    let mut tree =
        conn.prepare_cached("SELECT id, files, missing FROM trees WHERE commit_id = ? AND rules = ?")?;
    let found = tree.query_row((key.commit.as_bytes(), key.rules), |row| {
        Ok(StoredTree { id: row.get(0)?, files: unpack(row.get_ref(1)?.as_blob()?)?, missing: row.get(2)? })
    });
    found.optional()
}

pub(super) fn write(
    conn: &Connection,
    key: &TreeKey,
    files: &[FileRow],
    missing: u64,
) -> rusqlite::Result<()> {
    let files: RowBitmap = files.iter().map(|file| file.0).collect();
    conn.prepare_cached(
        "INSERT OR REPLACE INTO trees (commit_id, rules, files, missing, read_at) VALUES (?, ?, ?, ?, ?)",
    )?
    .execute((key.commit.as_bytes(), key.rules, files.pack(), missing, now()))
    .map(drop)
}

/// Deletes the trees that were read longer than `age` ago, and all but the `most` newest.
pub(super) fn forget(conn: &Connection, age: Duration, most: usize) -> rusqlite::Result<()> {
    let before = now().saturating_sub(age.as_secs());
    conn.execute("DELETE FROM trees WHERE read_at < ?", [before])?;
    conn.execute(
        "DELETE FROM trees WHERE id NOT IN (SELECT id FROM trees ORDER BY read_at DESC, id DESC LIMIT ?)",
        [most as i64],
    )
    .map(drop)
}

pub(super) fn commits(conn: &Connection) -> rusqlite::Result<Vec<CommitId>> {
    let mut trees = conn.prepare_cached("SELECT DISTINCT commit_id FROM trees")?;
    let mut rows = trees.query([])?;
    let mut commits = Vec::new();
    while let Some(row) = rows.next()? {
        commits.push(CommitId::from_bytes(row.get_ref(0)?.as_blob()?).ok_or_else(corrupt)?);
    }
    Ok(commits)
}

/// The files of all trees.
pub(super) fn all_files(conn: &Connection) -> rusqlite::Result<RowBitmap> {
    let mut trees = conn.prepare_cached("SELECT files FROM trees")?;
    let mut rows = trees.query([])?;
    let mut files = RowBitmap::default();
    while let Some(row) = rows.next()? {
        files.add_all(&unpack(row.get_ref(0)?.as_blob()?)?);
    }
    Ok(files)
}

/// All file versions by path, those of the working tree first. Reads the table itself, not the connection's view of it.
pub(super) fn contents(conn: &Connection) -> rusqlite::Result<HashMap<String, Vec<StoredContent>>> {
    let mut files = conn.prepare_cached(
        "SELECT path, mtime_ns, size, hash, content_version, blob, id FROM main.source_files WHERE blob IS NOT NULL
         ORDER BY working IS NULL, id",
    )?;
    let mut rows = files.query([])?;
    let mut contents: HashMap<String, Vec<StoredContent>> = HashMap::new();
    while let Some(row) = rows.next()? {
        contents.entry(row.get(0)?).or_default().push(content(row)?);
    }
    Ok(contents)
}

/// All file versions at these paths, of any tree.
pub(super) fn contents_at(
    conn: &Connection,
    paths: &[&str],
) -> rusqlite::Result<HashMap<String, Vec<StoredContent>>> {
    let mut files = conn.prepare_cached(
        "SELECT path, mtime_ns, size, hash, content_version, blob, id FROM main.source_files WHERE path = ? ORDER BY id",
    )?;
    let mut contents = HashMap::new();
    for path in paths {
        let found = files.query_map([path], content)?.collect::<rusqlite::Result<Vec<_>>>()?;
        if !found.is_empty() {
            contents.insert((*path).to_owned(), found);
        }
    }
    Ok(contents)
}

fn content(row: &Row<'_>) -> rusqlite::Result<StoredContent> {
    Ok(StoredContent { file: FileRow(row.get(6)?), state: files::state_of(row)? })
}

/// File versions that neither a worktree nor a commit uses.
pub(super) fn unused_files(conn: &Connection) -> rusqlite::Result<Vec<i64>> {
    let used = all_files(conn)?;
    let mut parked = conn.prepare(
        "SELECT id FROM main.source_files
             WHERE working IS NULL AND id NOT IN (SELECT file_id FROM checkout_files)",
    )?;
    let parked = parked.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
    Ok(parked.into_iter().filter(|file| !used.contains(*file)).collect())
}

fn unpack(bytes: &[u8]) -> rusqlite::Result<RowBitmap> {
    RowBitmap::unpack(bytes).ok_or_else(corrupt)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}
