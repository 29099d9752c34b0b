//! Indexed commits. Each is a manifest of its own, which starts as a copy of its checkout's manifest, so that all statements work
//! for it unchanged. Texts and vectors are shared as between checkouts; everything else is stored once per commit.

use std::collections::HashMap;
use std::time::Duration;

use tokio_postgres::Row;

use super::manifest::{
    self, BUILDING, IN_USE, Manifest, ManifestFilter, ManifestKey, TreeKind, begin_log, lock_numbers,
    now_micros,
};
use super::rows::file_state;
use super::schema::TABLES;
use super::session::{Param, Session};
use crate::StoreError;
use crate::contract::{FileRow, Result, StoredContent};

pub(super) const TREES: ManifestFilter<'_> =
    ManifestFilter { states: &[IN_USE, BUILDING], trees: &[TreeKind::Commits], except: None };

/// A commit takes as much space as a checkout without its texts and vectors, so fewer are kept than in the other backend.
const MAX_TREES: usize = 20;

/// The number of files of the commit that could not be read.
pub(super) const MISSING_FILES: &str = "missing_files";

/// Adds a manifest for a commit, in state `BUILDING`, as a copy of the checkout's own manifest.
pub(super) fn insert_copy(session: &mut Session, place: &ManifestKey) -> Result<i32> {
    lock_numbers(session, place.project)?;
    let seq = now_micros();
    let params: [Param<'_>; 5] = [&place.project, &place.checkout, &place.tree, &BUILDING, &seq];
    let copied = session.query(
        "INSERT INTO manifests (project, manifest, checkout, tree, name, state, seq, files_version, history_version,
             next_row, next_file, meta)
         SELECT project, (SELECT max(manifest) + 1 FROM manifests WHERE project = $1), checkout, $3::bytea, name,
             $4::smallint, $5::bigint, $5, $5, next_row, next_file, meta
         FROM manifests WHERE project = $1 AND checkout = $2 AND tree = '' AND state = 0
         RETURNING manifest, (SELECT manifest FROM manifests
             WHERE project = $1 AND checkout = $2 AND tree = '' AND state = 0)",
        &params,
    )?;
    let copied = copied.first().ok_or_else(StoreError::not_initialized)?;
    let (id, of): (i32, i32) = (copied.get(0), copied.get(1));
    begin_log(session, place.project, id, seq)?;
    copy_rows(session, place.project, of, id)?;
    Ok(id)
}

/// Copies the rows of a manifest to another one, except for its change log.
fn copy_rows(session: &mut Session, project: i64, from: i32, to: i32) -> Result<()> {
    let tables: Vec<&str> = TABLES.into_iter().filter(|table| *table != "changes").collect();
    let columns = session.query(
        "SELECT attrelid::regclass::text, string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
         WHERE attrelid = ANY(SELECT t::regclass FROM unnest($1::text[]) AS t) AND attnum > 0 AND NOT attisdropped
             AND attname NOT IN ('project', 'manifest')
         GROUP BY attrelid",
        &[&tables],
    )?;
    let statements = columns.iter().map(|row| {
        let (table, columns): (&str, &str) = (row.get(0), row.get(1));
        format!(
            "INSERT INTO {table} (project, manifest, {columns}) SELECT project, {to}, {columns} FROM {table}
             WHERE project = {project} AND manifest = {from}"
        )
    });
    session.batch(&statements.collect::<Vec<_>>().join(";"))
}

pub(super) fn contents(
    session: &mut Session,
    manifest: &Manifest,
) -> Result<HashMap<String, Vec<StoredContent>>> {
    let rows = session.query(
        "SELECT path, mtime_ns, size, hash, content_version, blob, file FROM files
         WHERE project = $1 AND manifest = $2 AND blob IS NOT NULL",
        &[&manifest.project, &manifest.id],
    )?;
    let content = |row: &Row| {
        let file = FileRow(row.get::<_, i32>(6).into());
        Some((row.get(0), vec![StoredContent { file, state: file_state(row)? }]))
    };
    rows.iter().map(|row| content(row).ok_or_else(|| session.damaged())).collect()
}

/// The paths of all files except `kept`.
pub(super) fn paths_without(
    session: &mut Session,
    manifest: &Manifest,
    kept: &[FileRow],
) -> Result<Vec<String>> {
    let kept: Vec<i32> = kept.iter().map(|file| file.0 as i32).collect();
    let rows = session.query(
        "SELECT path FROM files WHERE project = $1 AND manifest = $2 AND file <> ALL($3)",
        &[&manifest.project, &manifest.id, &kept],
    )?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Puts a finished manifest into use, replacing an earlier one of the same commit.
pub(super) fn put_in_use(session: &mut Session, place: &ManifestKey, id: i32) -> Result<()> {
    let before = session.query(
        "SELECT manifest FROM manifests
         WHERE project = $1 AND checkout = $2 AND tree = $3 AND state = 0 AND manifest <> $4",
        &[&place.project, &place.checkout, &place.tree, &id],
    )?;
    for row in &before {
        manifest::delete_one(session, place.project, row.get(0))?;
    }
    session
        .query("UPDATE manifests SET state = 0 WHERE project = $1 AND manifest = $2", &[&place.project, &id])
        .map(drop)
}

/// Deletes the commits that were written longer than `age` ago and all but the `most` newest. Returns the number of file versions
/// that only they had.
pub(super) fn forget(session: &mut Session, place: &ManifestKey, age: Duration, most: usize) -> Result<u64> {
    let (age, most) = (age.as_secs_f64(), most.min(MAX_TREES) as i64);
    let gone = session.query(
        "SELECT manifest FROM (SELECT manifest, created, row_number() OVER (ORDER BY created DESC, manifest DESC) AS place
             FROM manifests WHERE project = $1 AND checkout = $2 AND tree <> '' AND state = 0) AS trees
         WHERE place > $4 OR created < now() - make_interval(secs => $3)",
        &[&place.project, &place.checkout, &age, &most],
    )?;
    let gone: Vec<i32> = gone.iter().map(|row| row.get(0)).collect();
    let counted = session.query_one(
        "SELECT count(DISTINCT (f.path_key, f.blob)) FROM files AS f
         WHERE f.project = $1 AND f.manifest = ANY($3) AND NOT EXISTS (
             SELECT 1 FROM files AS k JOIN manifests AS m ON m.project = k.project AND m.manifest = k.manifest
             WHERE k.project = $1 AND m.checkout = $2 AND m.state = 0 AND m.manifest <> ALL($3)
                 AND k.path_key = f.path_key AND k.blob IS NOT DISTINCT FROM f.blob)",
        &[&place.project, &place.checkout, &gone],
    )?;
    for id in gone {
        manifest::delete_one(session, place.project, id)?;
    }
    Ok(counted.get::<_, i64>(0).cast_unsigned())
}
