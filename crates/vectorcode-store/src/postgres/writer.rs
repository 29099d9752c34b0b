//! [`PostgresWriter`] implements [`IndexWriter`] over one manifest. Each call is one transaction.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use vectorcode_core::{CommitId, FileFlags, SkipReason, VectorSpace, quantize};

use super::codes::CodeChanges;
use super::commits;
use super::manifest::{self, Manifest, ManifestKey, space_key};
use super::pool::Pool;
use super::reader::PostgresReader;
use super::rows::Hash;
use super::segments;
use super::session::{Param, Query, Session};
use super::trees::{self, TREES};
use super::view::stage_code;
use super::write_batch;
use crate::StoreError;
use crate::contract::{
    ChunkRow, CommitUpdate, FileRow, FileState, FileUpdate, IndexReader, IndexSpaces, IndexWriter,
    PreparedFile, Result, TreeKey, WriteOutcome,
};
use crate::index::change_log::{LOGGED_ROWS, LOGGED_TRANSACTIONS, to_blob};
use crate::index::commit_codec::KeptCommits;
use crate::index::enum_codes;
use crate::index::pending_order::LATER_NS;
use crate::index::stage::Stage;

/// [`crate::index::pending_order::pending_order`] as an SQL expression over a row `f` of `files`.
fn pending_order_sql() -> String {
    let later = FileFlags { generated: true, minified: true, ..FileFlags::default() };
    let mask = enum_codes::flags_code(later);
    // Computed so that it cannot overflow, which would be an error.
    format!(
        "CASE WHEN f.flags & {mask} = 0 THEN f.mtime_ns ELSE greatest(f.mtime_ns, -{LATER_NS}) - {LATER_NS} END"
    )
}

/// Updates the order of pending chunks in some files.
static ORDER_WAITING: LazyLock<String> = LazyLock::new(|| {
    format!(
        "UPDATE chunks AS c SET pending = {} FROM unnest($3::uuid[]) AS t(key)
         JOIN files AS f ON f.project = $1 AND f.manifest = $2 AND f.path_key = t.key
         WHERE c.project = $1 AND c.manifest = $2 AND c.file = f.file AND c.pending IS NOT NULL",
        pending_order_sql()
    )
});
static MAKE_ALL_PENDING: LazyLock<String> = LazyLock::new(|| {
    format!(
        "UPDATE chunks AS c SET pending = {} FROM files AS f
         WHERE c.project = $1 AND c.manifest = $2 AND f.project = $1 AND f.manifest = $2 AND f.file = c.file",
        pending_order_sql()
    )
});

#[derive(Debug)]
pub(super) struct PostgresWriter {
    pool: Arc<Pool>,
    place: ManifestKey,
    reader: PostgresReader,
    spaces: IndexSpaces,
    /// Whether texts or vectors may exist that no chunk refers to.
    has_garbage: bool,
}

/// What readers have to reload after a transaction.
enum Touched {
    Nothing,
    /// Cached results are out of date, but copies of chunks are still valid.
    Results,
    Rows(Vec<i32>),
    Everything,
}

/// A write transaction.
struct Transaction<'t> {
    session: &'t mut Session,
    manifest: Manifest,
    touched: Touched,
}

impl Transaction<'_> {
    fn scope(&self) -> (i64, i32) {
        (self.manifest.project, self.manifest.id)
    }

    /// Writes the changed manifest and, if its content changed, the next generation with its log entry.
    fn finish(mut self) -> Result<()> {
        let previous = self.manifest.seq;
        let rows = match &self.touched {
            Touched::Nothing => None,
            Touched::Rows(rows) if rows.is_empty() => None,
            Touched::Results => Some(Some(Vec::new())),
            Touched::Rows(rows) if rows.len() <= LOGGED_ROWS => {
                Some(Some(to_blob(&rows.iter().map(|row| i64::from(*row)).collect::<Vec<_>>())))
            }
            Touched::Rows(_) | Touched::Everything => Some(None),
        };
        if let Some(rows) = rows {
            self.manifest.seq = self.manifest.next_seq();
            self.log(previous, rows.as_deref())?;
        }
        let Manifest { project, id, seq, files_version, history_version, next_row, next_file, .. } =
            &self.manifest;
        let meta = self.manifest.meta_json();
        self.session.query(
            "UPDATE manifests SET seq = $3, files_version = $4, history_version = $5, next_row = $6, next_file = $7,
                 meta = ($8::text)::jsonb WHERE project = $1 AND manifest = $2",
            &[project, id, seq, files_version, history_version, next_row, next_file, &meta],
        )?;
        self.session.batch("COMMIT")
    }

    fn log(&mut self, previous: i64, rows: Option<&[u8]>) -> Result<()> {
        let Manifest { project, id, seq, .. } = &self.manifest;
        let entry: [Param<'_>; 5] = [project, id, seq, &previous, &rows];
        let kept: [Param<'_>; 3] = [project, id, &LOGGED_TRANSACTIONS];
        self.session.pipeline(None, &[
            Query {
                sql: "INSERT INTO changes (project, manifest, seq, previous, rows) VALUES ($1, $2, $3, $4, $5)",
                params: &entry,
            },
            Query {
                sql: "DELETE FROM changes WHERE project = $1 AND manifest = $2 AND seq <= (SELECT seq FROM changes
                      WHERE project = $1 AND manifest = $2 ORDER BY seq DESC OFFSET $3 LIMIT 1)",
                params: &kept,
            },
        ])?;
        Ok(())
    }
}

impl PostgresWriter {
    pub fn open(pool: Arc<Pool>, place: ManifestKey) -> Result<Self> {
        let reader = PostgresReader::open(pool.clone(), place.clone())?;
        let spaces = reader.spaces()?;
        Ok(Self { pool, place, reader, spaces, has_garbage: false })
    }

    /// Runs `work` in a transaction that takes effect completely or not at all.
    fn write<T>(&self, mut work: impl FnMut(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        let done = self.pool.run(|session| {
            let manifest = Manifest::begin_writing(session, &self.place)?;
            let mut transaction = Transaction { session, manifest, touched: Touched::Nothing };
            let result = work(&mut transaction)?;
            transaction.finish()?;
            Ok(result)
        });
        self.pool.count_write();
        done
    }

    fn replace_files(&mut self, updates: &[FileUpdate], removed: &[String]) -> Result<WriteOutcome> {
        let known = updates.iter().flat_map(|update| update.known_vectors.iter().flatten());
        Stage::Provider.check_dimensions(&self.spaces, known)?;
        let expected_space = &self.spaces.provider;
        let (outcome, has_deleted) = self.write(|transaction| {
            let Transaction { session, manifest, .. } = transaction;
            let written = write_batch::run(session, manifest, expected_space, (updates, removed))?;
            let next = transaction.manifest.next_seq();
            transaction.manifest.files_version = next.max(transaction.manifest.files_version + 1);
            transaction.touched = Touched::Rows(written.touched);
            Ok((written.outcome, written.has_deleted))
        })?;
        self.has_garbage |= has_deleted;
        Ok(outcome)
    }
}

impl IndexWriter for PostgresWriter {
    fn reader(&self) -> &dyn IndexReader {
        &self.reader
    }

    fn write_files(&mut self, updates: &[FileUpdate]) -> Result<WriteOutcome> {
        let statics = updates.iter().flat_map(|update| update.static_vectors.iter().flatten());
        Stage::Static.check_dimensions(&self.spaces, statics)?;
        self.replace_files(updates, &[])
    }

    fn touch_files(&mut self, files: &[(String, FileState)]) -> Result<()> {
        let keys: Vec<Hash> = files.iter().map(|(path, _)| Hash::of(path.as_bytes())).collect();
        let mtimes: Vec<i64> = files.iter().map(|(_, state)| state.mtime_ns).collect();
        let sizes: Vec<i64> = files.iter().map(|(_, state)| state.size.cast_signed()).collect();
        let hashes: Vec<&[u8]> = files.iter().map(|(_, state)| &state.hash[..]).collect();
        self.write(|transaction| {
            let (project, manifest) = transaction.scope();
            let touched: [Param<'_>; 6] = [&project, &manifest, &keys, &mtimes, &sizes, &hashes];
            let waiting: [Param<'_>; 3] = [&project, &manifest, &keys];
            transaction.session.pipeline(None, &[
                Query {
                    sql: "UPDATE files AS f SET mtime_ns = t.mtime_ns, size = t.size, hash = t.hash
                          FROM unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bytea[]) AS t(key, mtime_ns, size, hash)
                          WHERE f.project = $1 AND f.manifest = $2 AND f.path_key = t.key",
                    params: &touched,
                },
                Query { sql: &ORDER_WAITING, params: &waiting },
            ])?;
            Ok(())
        })
    }

    fn remove_files(&mut self, paths: &[String]) -> Result<()> {
        self.replace_files(&[], paths).map(drop)
    }

    fn write_contents(&mut self, updates: &[FileUpdate], _prepared: Vec<PreparedFile>) -> Result<()> {
        self.write_files(updates).map(drop)
    }

    fn write_tree(&mut self, _key: &TreeKey, files: &[FileRow], missing: u64) -> Result<()> {
        let other = self.reader.read(|session, manifest| trees::paths_without(session, manifest, files))?;
        self.remove_files(&other)?;
        self.write(|transaction| {
            transaction.manifest.meta.insert(trees::MISSING_FILES.to_owned(), missing.to_string());
            trees::put_in_use(transaction.session, &self.place, transaction.manifest.id)
        })
    }

    fn forget_trees(&mut self, age: Duration, most: usize) -> Result<u64> {
        let forgotten = self.pool.run(|session| {
            session.batch("BEGIN")?;
            let forgotten = trees::forget(session, &self.place, age, most)?;
            session.batch("COMMIT")?;
            Ok(forgotten)
        })?;
        self.pool.count_write();
        self.has_garbage |= forgotten > 0;
        Ok(forgotten)
    }

    fn write_vectors(&mut self, batch: &[(ChunkRow, Vec<f32>)]) -> Result<()> {
        Stage::Provider.check_dimensions(&self.spaces, batch.iter().map(|(_, vector)| vector))?;
        let expected_space = &self.spaces.provider;
        let rows: Vec<i32> = batch.iter().filter_map(|(row, _)| i32::try_from(row.0).ok()).collect();
        let space = self.write(|transaction| {
            let space =
                transaction.manifest.space(Stage::Provider).ok_or_else(|| transaction.session.damaged())?;
            // Another process may have changed the provider since this writer was opened.
            if space != *expected_space {
                return Ok(space);
            }
            transaction.touched = Touched::Rows(claim_vectors(transaction, &rows, batch)?);
            Ok(space)
        })?;
        if space == *expected_space {
            Ok(())
        } else {
            Err(StoreError::provider_mismatch(&space, expected_space))
        }
    }

    fn change_provider(&mut self, space: &VectorSpace) -> Result<()> {
        self.write(|transaction| {
            let (project, manifest) = transaction.scope();
            let scope: [Param<'_>; 2] = [&project, &manifest];
            let stage = stage_code(Stage::Provider);
            let codes: [Param<'_>; 3] = [&project, &manifest, &stage];
            transaction.session.pipeline(
                None,
                &[
                    Query {
                        sql: "DELETE FROM codes WHERE project = $1 AND manifest = $2 AND stage = $3",
                        params: &codes,
                    },
                    Query { sql: "DELETE FROM refused WHERE project = $1 AND manifest = $2", params: &scope },
                    Query { sql: &MAKE_ALL_PENDING, params: &scope },
                ],
            )?;
            // Indexed commits have vectors of the previous space.
            manifest::delete(transaction.session, &self.place, TREES)?;
            transaction.manifest.set_space(Stage::Provider, space);
            transaction.touched = Touched::Everything;
            Ok(())
        })?;
        self.spaces.provider = space.clone();
        self.has_garbage = true;
        Ok(())
    }

    fn refuse(&mut self, row: ChunkRow, reason: &str) -> Result<()> {
        let (row, reason) = (row.0 as i32, super::rows::clean(reason));
        self.write(|transaction| {
            let (project, manifest) = transaction.scope();
            transaction.session.query(
                "WITH claimed AS (UPDATE chunks SET pending = NULL
                      WHERE project = $1 AND manifest = $2 AND row = $3 AND pending IS NOT NULL RETURNING row)
                 INSERT INTO refused (project, manifest, row, reason) SELECT $1::bigint, $2::int, row, $4::text FROM claimed",
                &[&project, &manifest, &row, &reason],
            )?;
            Ok(())
        })
    }

    fn write_commits(&mut self, head: &CommitId, updates: &[CommitUpdate]) -> Result<()> {
        let vectors = updates.iter().filter_map(|update| update.vector.as_ref());
        Stage::Static.check_dimensions(&self.spaces, vectors)?;
        self.write(|transaction| {
            commits::write(transaction.session, &transaction.manifest, updates)?;
            transaction.manifest.set_history_head(Some(head));
            transaction.manifest.history_version = transaction.manifest.next_seq();
            transaction.touched = Touched::Results;
            Ok(())
        })
    }

    fn keep_commits(&mut self, kept: &HashSet<CommitId>) -> Result<usize> {
        self.write(|transaction| {
            let KeptCommits { there, deleted } =
                commits::keep(transaction.session, &transaction.manifest, kept)?;
            if kept.is_empty() {
                transaction.manifest.set_history_head(None);
            }
            if deleted > 0 {
                transaction.manifest.history_version = transaction.manifest.next_seq();
                transaction.touched = Touched::Results;
            }
            Ok(there)
        })
    }

    fn set_skipped(&mut self, counts: &[(SkipReason, u64)]) -> Result<()> {
        let some = || counts.iter().filter(|(_, count)| *count > 0);
        let reasons: Vec<String> = some().map(|(reason, _)| enum_codes::reason_name(*reason)).collect();
        let counts: Vec<i64> = some().map(|(_, count)| count.cast_signed()).collect();
        self.write(|transaction| {
            let (project, manifest) = transaction.scope();
            let scope: [Param<'_>; 2] = [&project, &manifest];
            let rows: [Param<'_>; 4] = [&project, &manifest, &reasons, &counts];
            transaction.session.pipeline(
                None,
                &[
                    Query { sql: "DELETE FROM skipped WHERE project = $1 AND manifest = $2", params: &scope },
                    Query {
                        sql: "INSERT INTO skipped (project, manifest, reason, count)
                          SELECT $1::bigint, $2::int, * FROM unnest($3::text[], $4::bigint[])",
                        params: &rows,
                    },
                ],
            )?;
            Ok(())
        })
    }

    fn set_meta(&mut self, key: &str, value: &str) -> Result<()> {
        self.write(|transaction| {
            // JSON in the database can store every character except NUL.
            let value = super::rows::clean(value).into_owned();
            transaction.manifest.meta.insert(key.to_owned(), value);
            Ok(())
        })
    }

    fn repair(&mut self) -> Result<()> {
        self.write(|transaction| {
            let Manifest { project, id, .. } = transaction.manifest;
            let of = format!("project = {project} AND manifest = {id}");
            let no_file = format!("{of} AND file NOT IN (SELECT file FROM files WHERE {of})");
            transaction.session.batch(&format!(
                "DELETE FROM commits WHERE {of};
                 DELETE FROM commit_paths WHERE {of};
                 DELETE FROM symbols WHERE {no_file};
                 DELETE FROM file_facts WHERE {no_file};
                 DELETE FROM refused WHERE {of} AND row NOT IN (SELECT row FROM chunks WHERE {of});"
            ))?;
            let used = transaction.session.query_one(
                "SELECT (SELECT coalesce(max(row), 0) + 1 FROM chunks WHERE project = $1 AND manifest = $2),
                     (SELECT coalesce(max(file), 0) + 1 FROM files WHERE project = $1 AND manifest = $2)",
                &[&project, &id],
            )?;
            let manifest = &mut transaction.manifest;
            manifest.next_row = manifest.next_row.max(used.get(0));
            manifest.next_file = manifest.next_file.max(used.get(1));
            manifest.set_history_head(None);
            manifest.history_version = manifest.next_seq();
            transaction.touched = Touched::Everything;
            Ok(())
        })
    }

    /// The server reclaims space by itself; this only deletes what no manifest refers to.
    fn compact(&mut self) -> Result<()> {
        if !self.has_garbage {
            return Ok(());
        }
        let project = self.place.project;
        self.pool.run(|session| {
            session.batch("BEGIN")?;
            segments::collect_garbage(session, project)?;
            session.batch("COMMIT")
        })?;
        self.has_garbage = false;
        Ok(())
    }
}

/// Writes the vectors of the rows that are still pending, and returns these rows. Chunks that were deleted, or got their vector
/// in the meantime, are not pending.
fn claim_vectors(
    transaction: &mut Transaction<'_>,
    rows: &[i32],
    batch: &[(ChunkRow, Vec<f32>)],
) -> Result<Vec<i32>> {
    let (project, manifest) = transaction.scope();
    let shared = segments::content_lock(project);
    let (content, claim): ([Param<'_>; 1], [Param<'_>; 3]) = ([&shared], [&project, &manifest, &rows]);
    let answers = transaction.session.pipeline(
        None,
        &[
            Query { sql: "SELECT pg_advisory_xact_lock_shared($1)", params: &content },
            Query {
                sql: "UPDATE chunks SET pending = NULL WHERE project = $1 AND manifest = $2 AND row = ANY($3)
                      AND pending IS NOT NULL RETURNING row, text_hash",
                params: &claim,
            },
        ],
    )?;
    let claimed: std::collections::HashMap<i64, Hash> =
        answers[1].iter().map(|row| (row.get::<_, i32>(0).into(), row.get(1))).collect();
    let mut codes = CodeChanges::default();
    let (mut touched, mut vectors) = (Vec::new(), std::collections::BTreeMap::new());
    for (row, vector) in batch {
        if let Some(hash) = claimed.get(&row.0) {
            let vector = quantize::to_int8(vector);
            codes.set(Stage::Provider, row.0 as i32, &vector);
            vectors.insert(*hash, quantize::as_blob(&vector));
            touched.push(row.0 as i32);
        }
    }
    let space = transaction.manifest.space(Stage::Provider).map_or(0, |space| space_key(&space));
    let (hashes, vectors): (Vec<Hash>, Vec<Vec<u8>>) = vectors.into_iter().unzip();
    transaction.session.query(
        "INSERT INTO vectors (project, space, hash, vector) SELECT $1::bigint, $2::bigint, * FROM unnest($3::uuid[], $4::bytea[])
         ON CONFLICT DO NOTHING",
        &[&project, &space, &hashes, &vectors],
    )?;
    codes.write(transaction.session, &transaction.manifest)?;
    Ok(touched)
}
