//! Reads and writes the tables `commits` and `commit_paths`.

use std::collections::{HashMap, HashSet};

use tokio_postgres::Row;
use vectorcode_core::CommitId;
use vectorcode_core::quantize::{as_blob, from_blob, to_int8};

use super::manifest::Manifest;
use super::rows::clean;
use super::session::{Param, Query, Session};
use crate::contract::{CommitText, CommitUpdate, Result, StoredCommit, StoredHistory};
use crate::index::commit_codec::{
    KeptCommits, changes_code, changes_from, files_from_blob, files_to_blob, parents_from_blob,
    parents_to_blob, words_from_blob, words_to_blob,
};

pub(super) fn write(session: &mut Session, manifest: &Manifest, updates: &[CommitUpdate]) -> Result<()> {
    let scope: [Param<'_>; 2] = [&manifest.project, &manifest.id];
    let last = session
        .query_one("SELECT coalesce(max(id), 0) FROM commits WHERE project = $1 AND manifest = $2", &scope)?;
    let first_id = last.get::<_, i32>(0) + 1;
    let mut paths = Paths::read(session, manifest)?;
    let ids: Vec<i32> = (first_id..).take(updates.len()).collect();
    let names: Vec<&[u8]> = updates.iter().map(|update| &update.commit.id.as_bytes()[..]).collect();
    let times: Vec<i64> = updates.iter().map(|update| update.commit.time_secs).collect();
    let changes: Vec<i16> =
        updates.iter().map(|update| changes_code(&update.commit.changes) as i16).collect();
    let parents: Vec<Vec<u8>> =
        updates.iter().map(|update| parents_to_blob(&update.commit.parents)).collect();
    let files: Vec<Vec<u8>> =
        updates.iter().map(|update| files_to_blob(&paths.ids(update.commit.changes.files()))).collect();
    let words: Vec<Vec<u8>> = updates.iter().map(|update| words_to_blob(&update.words)).collect();
    let vectors: Vec<Option<Vec<u8>>> =
        updates.iter().map(|update| Some(as_blob(&to_int8(update.vector.as_ref()?)))).collect();
    let text = |text: &str, message: &str| (!message.is_empty()).then(|| clean(text).into_owned());
    let authors: Vec<Option<String>> =
        updates.iter().map(|update| text(&update.commit.author, &update.commit.message)).collect();
    let messages: Vec<Option<String>> =
        updates.iter().map(|update| text(&update.commit.message, &update.commit.message)).collect();
    let old: [Param<'_>; 3] = [&manifest.project, &manifest.id, &names];
    let rows: [Param<'_>; 12] = [
        &manifest.project,
        &manifest.id,
        &ids,
        &names,
        &times,
        &changes,
        &parents,
        &files,
        &words,
        &vectors,
        &authors,
        &messages,
    ];
    let (path_ids, new_paths) = paths.added();
    let new: [Param<'_>; 4] = [&manifest.project, &manifest.id, &path_ids, &new_paths];
    session.pipeline(
        None,
        &[
            Query {
                sql: "DELETE FROM commits WHERE project = $1 AND manifest = $2 AND name = ANY($3)",
                params: &old,
            },
            Query {
                sql: "INSERT INTO commit_paths (project, manifest, id, path)
                      SELECT $1::bigint, $2::int, * FROM unnest($3::int[], $4::text[])",
                params: &new,
            },
            Query {
                sql: "INSERT INTO commits (project, manifest, id, name, time, changes, parents, files, words, vector,
                          author, message)
                      SELECT $1::bigint, $2::int, * FROM unnest($3::int[], $4::bytea[], $5::bigint[], $6::smallint[], $7::bytea[],
                          $8::bytea[], $9::bytea[], $10::bytea[], $11::text[], $12::text[])",
                params: &rows,
            },
        ],
    )?;
    Ok(())
}

/// The ids of the paths that commits refer to.
struct Paths {
    known: HashMap<String, u32>,
    order: Vec<String>,
    next: u32,
}

impl Paths {
    fn read(session: &mut Session, manifest: &Manifest) -> Result<Self> {
        let rows = session.query(SELECT_PATHS, &[&manifest.project, &manifest.id])?;
        let known: HashMap<String, u32> =
            rows.iter().map(|row| (row.get(1), row.get::<_, i32>(0).cast_unsigned())).collect();
        let next = known.values().max().map_or(1, |last| last + 1);
        Ok(Self { known, order: Vec::new(), next })
    }

    fn ids(&mut self, paths: &[String]) -> Vec<u32> {
        paths.iter().map(|path| self.id(&clean(path))).collect()
    }

    fn id(&mut self, path: &str) -> u32 {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let id = self.next;
        self.next += 1;
        self.known.insert(path.to_owned(), id);
        self.order.push(path.to_owned());
        id
    }

    fn added(&self) -> (Vec<i32>, Vec<&str>) {
        let ids = self.order.iter().map(|path| self.known[path].cast_signed()).collect();
        (ids, self.order.iter().map(String::as_str).collect())
    }
}

const SELECT_PATHS: &str =
    "SELECT id, path FROM commit_paths WHERE project = $1 AND manifest = $2 ORDER BY id";

/// Deletes all commits except `kept`, and the paths that no other commit refers to.
pub(super) fn keep(
    session: &mut Session,
    manifest: &Manifest,
    kept: &HashSet<CommitId>,
) -> Result<KeptCommits> {
    let scope: [Param<'_>; 2] = [&manifest.project, &manifest.id];
    let all =
        session.query("SELECT id, name, files FROM commits WHERE project = $1 AND manifest = $2", &scope)?;
    let (mut gone, mut named) = (Vec::<i32>::new(), HashSet::new());
    for row in &all {
        if kept.contains(&commit_id(session, row, 1)?) {
            named.extend(files_from_blob(row.get(2)).map(u32::cast_signed));
        } else {
            gone.push(row.get(0));
        }
    }
    let (there, deleted) = (all.len() - gone.len(), gone.len());
    if gone.is_empty() {
        return Ok(KeptCommits { there, deleted });
    }
    let named: Vec<i32> = named.into_iter().collect();
    let commits: [Param<'_>; 3] = [&manifest.project, &manifest.id, &gone];
    let paths: [Param<'_>; 3] = [&manifest.project, &manifest.id, &named];
    session.pipeline(
        None,
        &[
            Query {
                sql: "DELETE FROM commits WHERE project = $1 AND manifest = $2 AND id = ANY($3)",
                params: &commits,
            },
            Query {
                sql: "DELETE FROM commit_paths AS p WHERE project = $1 AND manifest = $2
                      AND NOT EXISTS (SELECT 1 FROM unnest($3::int[]) AS kept(id) WHERE kept.id = p.id)",
                params: &paths,
            },
        ],
    )?;
    Ok(KeptCommits { there, deleted })
}

pub(super) fn read(session: &mut Session, manifest: &Manifest) -> Result<StoredHistory> {
    let scope: [Param<'_>; 2] = [&manifest.project, &manifest.id];
    let commits = "SELECT name, time, parents, files, words, vector FROM commits
        WHERE project = $1 AND manifest = $2 ORDER BY id";
    let queries = [Query { sql: SELECT_PATHS, params: &scope }, Query { sql: commits, params: &scope }];
    let answers = session.pipeline(None, &queries)?;
    let mut history = StoredHistory { head: manifest.history_head(), ..StoredHistory::default() };
    let mut places: HashMap<u32, u32> = HashMap::new();
    for row in &answers[0] {
        places.insert(row.get::<_, i32>(0).cast_unsigned(), history.paths.len() as u32);
        history.paths.push(row.get(1));
    }
    for row in &answers[1] {
        let place = |id: u32| places.get(&id).copied().ok_or_else(|| session.damaged());
        let vector: Option<&[u8]> = row.get(5);
        history.commits.push(StoredCommit {
            id: commit_id(session, row, 0)?,
            time_secs: row.get(1),
            parents: parents_from_blob(row.get(2)).map_err(|_| session.damaged())?,
            files: files_from_blob(row.get(3)).map(place).collect::<Result<_>>()?,
            words: words_from_blob(row.get(4)),
            vector: from_blob(vector.unwrap_or_default()),
        });
    }
    Ok(history)
}

fn commit_id(session: &Session, row: &Row, column: usize) -> Result<CommitId> {
    CommitId::from_bytes(row.get(column)).ok_or_else(|| session.damaged())
}

/// The texts of these commits, in order; `None` for a commit that is gone or has no text.
pub(super) fn texts(
    session: &mut Session,
    manifest: &Manifest,
    ids: &[CommitId],
) -> Result<Vec<Option<CommitText>>> {
    let names: Vec<&[u8]> = ids.iter().map(|id| &id.as_bytes()[..]).collect();
    let scope: [Param<'_>; 3] = [&manifest.project, &manifest.id, &names];
    let found = session.query(
        "SELECT name, author, message, changes, files FROM commits
         WHERE project = $1 AND manifest = $2 AND name = ANY($3) AND message IS NOT NULL",
        &scope,
    )?;
    let files: HashSet<i32> = found
        .iter()
        .flat_map(|row| files_from_blob(row.get(4)).map(u32::cast_signed).collect::<Vec<_>>())
        .collect();
    let files: Vec<i32> = files.into_iter().collect();
    let scope: [Param<'_>; 3] = [&manifest.project, &manifest.id, &files];
    let paths = session.query(
        "SELECT id, path FROM commit_paths WHERE project = $1 AND manifest = $2 AND id = ANY($3)",
        &scope,
    )?;
    let paths: HashMap<u32, String> =
        paths.iter().map(|row| (row.get::<_, i32>(0).cast_unsigned(), row.get(1))).collect();
    let mut by_id: HashMap<CommitId, CommitText> = HashMap::new();
    for row in &found {
        let path = |id: u32| paths.get(&id).cloned().ok_or_else(|| session.damaged());
        let files = files_from_blob(row.get(4)).map(path).collect::<Result<Vec<_>>>()?;
        let changes = changes_from(row.get::<_, i16>(3).into(), files).map_err(|_| session.damaged())?;
        let text = CommitText { author: row.get(1), message: row.get(2), changes };
        by_id.insert(commit_id(session, row, 0)?, text);
    }
    Ok(ids.iter().map(|id| by_id.get(id).cloned()).collect())
}
