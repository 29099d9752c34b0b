//! Reads and writes the tables `commits`, `commit_text` and `commit_paths`.
//!
//! Everything that a search compares is in rows without texts, so that 3,000 commits are read in a few milliseconds.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Row};
use vectorcode_core::CommitId;
use vectorcode_core::quantize::{as_blob, from_blob, to_int8};

use super::error::corrupt;
use super::meta;
use crate::contract::{CommitText, CommitUpdate, StoredCommit, StoredHistory};
use crate::index::commit_codec::{
    KeptCommits, changes_code, changes_from, files_from_blob, files_to_blob, parents_from_blob,
    parents_to_blob, words_from_blob, words_to_blob,
};

pub(super) fn write(conn: &Connection, updates: &[CommitUpdate]) -> rusqlite::Result<()> {
    // A known commit keeps its row. A new row would leave behind the text of the old one, under an id that SQLite reuses. An
    // index of an earlier version may have such leftover texts, which are replaced here too.
    let mut upsert = conn.prepare_cached(
        "INSERT INTO commits (name, time, parents, changes, files, words, vector) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (name) DO UPDATE SET time = ?2, parents = ?3, changes = ?4, files = ?5, words = ?6, vector = ?7
         RETURNING id",
    )?;
    let mut text = conn.prepare_cached(
        "INSERT INTO commit_text (id, author, message) VALUES (?1, ?2, ?3)
         ON CONFLICT (id) DO UPDATE SET author = ?2, message = ?3",
    )?;
    let mut delete_text = conn.prepare_cached("DELETE FROM commit_text WHERE id = ?")?;
    for CommitUpdate { commit, words, vector } in updates {
        let files = path_ids(conn, commit.changes.files())?;
        let row = (
            commit.id.as_bytes(),
            commit.time_secs,
            parents_to_blob(&commit.parents),
            changes_code(&commit.changes),
            files_to_blob(&files),
            words_to_blob(words),
            vector.as_deref().map(|vector| as_blob(&to_int8(vector))),
        );
        let id: i64 = upsert.query_row(row, |row| row.get(0))?;
        if commit.message.is_empty() {
            delete_text.execute([id])?;
        } else {
            text.execute((id, &commit.author, &commit.message))?;
        }
    }
    Ok(())
}

fn path_ids(conn: &Connection, paths: &[String]) -> rusqlite::Result<Vec<u32>> {
    let mut known = conn.prepare_cached("SELECT id FROM commit_paths WHERE path = ?")?;
    let mut insert = conn.prepare_cached("INSERT INTO commit_paths (path) VALUES (?)")?;
    let id = |path: &String| -> rusqlite::Result<u32> {
        if let Some(id) = known.query_row([path], |row| row.get(0)).optional()? {
            return Ok(id);
        }
        u32::try_from(insert.insert([path])?).map_err(|_| corrupt())
    };
    paths.iter().map(id).collect()
}

/// Deletes all commits except `kept`, and the paths that no other commit refers to.
pub(super) fn keep(conn: &Connection, kept: &HashSet<CommitId>) -> rusqlite::Result<KeptCommits> {
    let (mut gone, mut named) = (Vec::new(), HashSet::new());
    let mut there = 0;
    let mut all = conn.prepare("SELECT id, name, files FROM commits")?;
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        if kept.contains(&id_of(row, 1)?) {
            named.extend(files_from_blob(row.get_ref(2)?.as_blob()?));
            there += 1;
        } else {
            gone.push(row.get::<_, i64>(0)?);
        }
    }
    if gone.is_empty() {
        return Ok(KeptCommits { there, deleted: 0 });
    }
    let mut delete = conn.prepare_cached("DELETE FROM commits WHERE id = ?")?;
    let mut delete_text = conn.prepare_cached("DELETE FROM commit_text WHERE id = ?")?;
    for id in &gone {
        delete.execute([id])?;
        delete_text.execute([id])?;
    }
    let mut paths = conn.prepare("SELECT id FROM commit_paths")?;
    let unnamed = paths
        .query_map([], |row| row.get::<_, u32>(0))?
        .filter(|id| !matches!(id, Ok(id) if named.contains(id)));
    let unnamed: Vec<u32> = unnamed.collect::<rusqlite::Result<_>>()?;
    let mut delete = conn.prepare_cached("DELETE FROM commit_paths WHERE id = ?")?;
    unnamed.iter().try_for_each(|id| delete.execute([id]).map(drop))?;
    Ok(KeptCommits { there, deleted: gone.len() })
}

pub(super) fn read(conn: &Connection, head_key: &str) -> rusqlite::Result<StoredHistory> {
    let mut history = StoredHistory { head: meta::history_head(conn, head_key)?, ..StoredHistory::default() };
    let mut places: HashMap<u32, u32> = HashMap::new();
    let mut paths = conn.prepare_cached("SELECT id, path FROM commit_paths ORDER BY id")?;
    let mut rows = paths.query([])?;
    while let Some(row) = rows.next()? {
        places.insert(row.get(0)?, history.paths.len() as u32);
        history.paths.push(row.get(1)?);
    }
    let mut commits =
        conn.prepare_cached("SELECT name, time, parents, files, words, vector FROM commits ORDER BY id")?;
    let mut rows = commits.query([])?;
    while let Some(row) = rows.next()? {
        history.commits.push(stored_commit(row, &places)?);
    }
    Ok(history)
}

fn stored_commit(row: &Row<'_>, places: &HashMap<u32, u32>) -> rusqlite::Result<StoredCommit> {
    let blob = |column| -> rusqlite::Result<&[u8]> {
        Ok(row.get_ref(column)?.as_blob_or_null()?.unwrap_or_default())
    };
    let place = |id: u32| places.get(&id).copied().ok_or_else(corrupt);
    Ok(StoredCommit {
        id: id_of(row, 0)?,
        time_secs: row.get(1)?,
        parents: parents_from_blob(blob(2)?)?,
        files: files_from_blob(blob(3)?).map(place).collect::<rusqlite::Result<_>>()?,
        words: words_from_blob(blob(4)?),
        vector: from_blob(blob(5)?),
    })
}

/// The texts of these commits, in order; `None` for a commit that is gone or has no text.
pub(super) fn texts(conn: &Connection, ids: &[CommitId]) -> rusqlite::Result<Vec<Option<CommitText>>> {
    let mut text = conn.prepare_cached(
        "SELECT author, message, changes, files FROM commits JOIN commit_text USING (id) WHERE name = ?",
    )?;
    let mut path = conn.prepare_cached("SELECT path FROM commit_paths WHERE id = ?")?;
    let mut read = |id: &CommitId| -> rusqlite::Result<Option<CommitText>> {
        let found = text
            .query_row([id.as_bytes()], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?, row.get::<_, Vec<u8>>(3)?))
            })
            .optional()?;
        let Some((author, message, code, files)) = found else { return Ok(None) };
        let mut paths = Vec::new();
        for id in files_from_blob(&files) {
            paths.push(path.query_row([id], |row| row.get(0))?);
        }
        Ok(Some(CommitText { author, message, changes: changes_from(code, paths)? }))
    };
    ids.iter().map(&mut read).collect()
}

fn id_of(row: &Row<'_>, column: usize) -> rusqlite::Result<CommitId> {
    CommitId::from_bytes(row.get_ref(column)?.as_blob()?).ok_or_else(corrupt)
}
