//! A manifest: the index of one checkout or commit of a project, and its current generation.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_postgres::Row;
use vectorcode_core::{CommitId, VERSION, VectorSpace};

use super::rows::key_of;
use super::schema::TABLES;
use super::session::{Param, Query, Session};
use crate::StoreError;
use crate::contract::{IndexSpaces, Result, TreeKey};
use crate::index::stage::Stage;

const HISTORY_HEAD: &str = "history_head";

pub(super) const IN_USE: i16 = 0;
pub(super) const BUILDING: i16 = 1;
pub(super) const SET_ASIDE: i16 = 2;

/// Identifies a checkout of a project, and one of its manifests.
#[derive(Clone, Debug)]
pub(super) struct ManifestKey {
    pub project: i64,
    pub checkout: i64,
    pub name: String,
    /// The commit and the rules for its files; empty for the files on disk.
    pub tree: Vec<u8>,
    /// The manifest that is being built; `None` for the one in use.
    pub building: Option<i32>,
}

impl ManifestKey {
    /// The key of a commit in the same checkout.
    pub fn at_tree(&self, key: &TreeKey) -> Self {
        let tree = [&key.commit.as_bytes()[..], &key.rules].concat();
        Self { tree, building: None, ..self.clone() }
    }

    fn missing(&self) -> StoreError {
        if self.tree.is_empty() { StoreError::not_initialized() } else { StoreError::tree_gone() }
    }
}

/// A manifest, as seen by a transaction.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    pub project: i64,
    pub id: i32,
    pub seq: i64,
    pub files_version: i64,
    pub history_version: i64,
    pub next_row: i32,
    pub next_file: i32,
    pub meta: HashMap<String, String>,
}

macro_rules! select_manifest {
    ($lock:literal) => {
        concat!(
            "SELECT manifest, seq, files_version, history_version, next_row, next_file, meta::text FROM manifests
            WHERE project = $1 AND checkout = $2
                AND CASE WHEN $3::int IS NULL THEN state = 0 AND tree = $4 ELSE manifest = $3 END ",
            $lock
        )
    };
}

impl Manifest {
    /// Starts a read transaction and finds the manifest in the same round trip.
    pub fn begin_reading(session: &mut Session, place: &ManifestKey) -> Result<Self> {
        const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
        Self::begin(session, place, BEGIN, select_manifest!(""))
    }

    /// Starts a write transaction. Other writers of this manifest wait until it ends.
    pub fn begin_writing(session: &mut Session, place: &ManifestKey) -> Result<Self> {
        Self::begin(session, place, "BEGIN", select_manifest!("FOR UPDATE"))
    }

    fn begin(session: &mut Session, place: &ManifestKey, begin: &str, sql: &'static str) -> Result<Self> {
        let params: [Param<'_>; 4] = [&place.project, &place.checkout, &place.building, &place.tree];
        let rows = session.pipeline(Some(begin), &[Query { sql, params: &params }])?.swap_remove(0);
        let Some(row) = rows.first() else {
            session.end_reading();
            return Err(place.missing());
        };
        Self::from_row(session, place.project, row)
    }

    fn from_row(session: &Session, project: i64, row: &Row) -> Result<Self> {
        let meta = serde_json::from_str(row.get(6)).map_err(|_| session.damaged())?;
        Ok(Self {
            project,
            id: row.get(0),
            seq: row.get(1),
            files_version: row.get(2),
            history_version: row.get(3),
            next_row: row.get(4),
            next_file: row.get(5),
            meta,
        })
    }

    pub fn space(&self, stage: Stage) -> Option<VectorSpace> {
        space_of(&self.meta, stage)
    }

    pub fn spaces(&self) -> Option<IndexSpaces> {
        Some(IndexSpaces { statics: self.space(Stage::Static)?, provider: self.space(Stage::Provider)? })
    }

    pub fn history_head(&self) -> Option<CommitId> {
        self.meta.get(HISTORY_HEAD).and_then(|head| CommitId::from_hex(head))
    }

    pub fn set_history_head(&mut self, head: Option<&CommitId>) {
        self.meta.insert(HISTORY_HEAD.into(), head.map_or_else(String::new, ToString::to_string));
    }

    pub fn set_space(&mut self, stage: Stage, space: &VectorSpace) {
        let values = [space.provider.clone(), space.model.clone(), space.dimensions.to_string()];
        self.meta.extend(stage.space_keys().into_iter().map(str::to_owned).zip(values));
    }

    /// The number of the next generation. Numbers are derived from the time: if a standby is promoted that missed some commits,
    /// their numbers must not be reused for other contents.
    pub fn next_seq(&self) -> i64 {
        (self.seq + 1).max(now_micros())
    }

    pub fn meta_json(&self) -> String {
        serde_json::to_string(&self.meta).unwrap_or_else(|_| "{}".into())
    }
}

pub(super) fn space_of(meta: &HashMap<String, String>, stage: Stage) -> Option<VectorSpace> {
    let [provider, model, dimensions] = stage.space_keys().map(|key| meta.get(key));
    Some(VectorSpace::new(provider?.clone(), model?.clone(), dimensions?.parse().ok()?))
}

/// The key of a vector space in the table `vectors`.
pub(super) fn space_key(space: &VectorSpace) -> i64 {
    key_of(&format!("{}\0{}\0{}", space.provider, space.model, space.dimensions))
}

/// Adds an empty manifest, in the session's transaction, and returns its number.
pub(super) fn insert(
    session: &mut Session,
    place: &ManifestKey,
    spaces: &IndexSpaces,
    state: i16,
) -> Result<i32> {
    let (seq, meta) = (now_micros(), HashMap::from([("vectorcode_version".to_owned(), VERSION.to_owned())]));
    let mut empty = Manifest {
        project: place.project,
        id: 0,
        seq,
        files_version: seq,
        history_version: seq,
        next_row: 1,
        next_file: 1,
        meta,
    };
    empty.set_space(Stage::Static, &spaces.statics);
    empty.set_space(Stage::Provider, &spaces.provider);
    let meta = empty.meta_json();
    lock_numbers(session, place.project)?;
    let params: [Param<'_>; 6] = [&place.project, &place.checkout, &place.name, &state, &seq, &meta];
    let row = session.query_one(
        "INSERT INTO manifests (project, manifest, checkout, tree, name, state, seq, files_version, history_version,
             next_row, next_file, meta)
         SELECT $1::bigint, (SELECT coalesce(max(manifest), 0) + 1 FROM manifests WHERE project = $1), $2::bigint, '', $3::text,
             $4::smallint, $5::bigint, $5, $5,
             1, 1, ($6::text)::jsonb
         RETURNING manifest",
        &params,
    )?;
    let id: i32 = row.get(0);
    begin_log(session, place.project, id, seq)?;
    Ok(id)
}

/// Locks the numbering: two processes that add a manifest at the same time would choose the same number.
pub(super) fn lock_numbers(session: &mut Session, project: i64) -> Result<()> {
    session.query("SELECT pg_advisory_xact_lock($1)", &[&project]).map(drop)
}

pub(super) fn begin_log(session: &mut Session, project: i64, manifest: i32, seq: i64) -> Result<()> {
    let params: [Param<'_>; 3] = [&project, &manifest, &seq];
    let sql = "INSERT INTO changes (project, manifest, seq, previous) VALUES ($1, $2, $3, 0)";
    session.query(sql, &params).map(drop)
}

/// Selects manifests of a checkout.
#[derive(Clone, Copy, Debug)]
pub(super) struct ManifestFilter<'a> {
    pub states: &'a [i16],
    pub trees: &'a [TreeKind],
    pub except: Option<i32>,
}

/// Whether a manifest has the files on disk or those of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeKind {
    Disk,
    Commits,
}

/// Deletes manifests with all of their rows, in the session's transaction, and returns their number.
pub(super) fn delete(
    session: &mut Session,
    place: &ManifestKey,
    filter: ManifestFilter<'_>,
) -> Result<usize> {
    let of_disk: Vec<bool> = filter.trees.iter().map(|of| *of == TreeKind::Disk).collect();
    let params: [Param<'_>; 5] = [&place.project, &place.checkout, &filter.states, &filter.except, &of_disk];
    let gone = session.query(
        "DELETE FROM manifests WHERE project = $1 AND checkout = $2 AND state = ANY($3)
             AND manifest IS DISTINCT FROM $4 AND (tree = '') = ANY($5) RETURNING manifest",
        &params,
    )?;
    for row in &gone {
        delete_rows(session, place.project, row.get(0))?;
    }
    Ok(gone.len())
}

/// Deletes one manifest with all of its rows.
pub(super) fn delete_one(session: &mut Session, project: i64, manifest: i32) -> Result<()> {
    session.query("DELETE FROM manifests WHERE project = $1 AND manifest = $2", &[&project, &manifest])?;
    delete_rows(session, project, manifest)
}

/// Deletes the rows of a manifest from all tables.
fn delete_rows(session: &mut Session, project: i64, manifest: i32) -> Result<()> {
    let statements: Vec<String> = TABLES
        .iter()
        .map(|table| format!("DELETE FROM {table} WHERE project = {project} AND manifest = {manifest}"))
        .collect();
    session.batch(&statements.join(";"))
}

pub(super) fn now_micros() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |elapsed| elapsed.as_micros() as i64)
}
