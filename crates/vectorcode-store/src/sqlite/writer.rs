//! [`SqliteWriter`] implements [`IndexWriter`] over one database file. Each call is one transaction.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};
use vectorcode_core::{CommitId, SkipReason, VectorSpace};

use super::checkouts::{self, Checkout};
use super::error::store_error;
use super::interner::Interner;
use super::meta::{self, HISTORY_HEAD};
use super::reader::SqliteReader;
use super::vectors::VectorWriter;
use super::write_batch::WriteBatch;
use super::{change_log, commits, connection, database_file, fulltext, repair, schema, trees};
use crate::StoreError;
use crate::contract::{
    self, ChunkRow, CommitUpdate, FileRow, FileState, FileUpdate, IndexReader, IndexSpaces, IndexWriter,
    Preparation, Result, TreeKey, WriteOutcome,
};
use crate::index::commit_codec::KeptCommits;
use crate::index::enum_codes;
use crate::index::prepared_file::PreparedFile;
use crate::index::stage::Stage;
use crate::index::vectors::EncodedVector;

/// If more files than this are linked, their chunks are not logged one by one: they would exceed the change log's limit.
const LOGGED_FILES: usize = 256;

/// Writes an index. It has its own read connections, which see committed data.
#[derive(Debug)]
pub(super) struct SqliteWriter {
    reader: SqliteReader,
    conn: Connection,
    /// The linked worktree whose files it writes; `None` for the main one.
    linked: Option<String>,
    interner: Interner,
    spaces: IndexSpaces,
}

impl SqliteWriter {
    /// Creates an empty index at `path` if there is none. It is built under another name and then renamed, so that it appears
    /// complete or not at all. A linked worktree is added to the existing index.
    pub(super) fn create(path: &Path, linked: Option<&str>, spaces: &IndexSpaces) -> Result<Self> {
        if linked.is_none() || !path.exists() {
            Self::create_file(path, spaces)?;
        }
        if let Some(name) = linked {
            Self::open(path, None)?.write(|conn, _, _, _| {
                checkouts::add(conn, name)?;
                change_log::append_nothing(conn)
            })?;
        }
        Self::open(path, linked)
    }

    fn create_file(path: &Path, spaces: &IndexSpaces) -> Result<()> {
        let draft = database_file::draft_of(path);
        database_file::remove(&draft)?;
        let mut conn = connection::connect_writer(&draft)?;
        schema::create(&mut conn, spaces).map_err(|error| store_error(path, error))?;
        conn.close().map_err(|(_, error)| store_error(path, error))?;
        std::fs::rename(&draft, path).map_err(|error| StoreError::io("create", path, error))
    }

    /// Opens the index at `path`. Opening the reader has migrated an older schema.
    pub(super) fn open(path: &Path, linked: Option<&str>) -> Result<Self> {
        let reader = SqliteReader::open_checkout(path, linked)?;
        let conn = connection::connect_writer(path)?;
        let (spaces, linked) = (reader.spaces()?, linked.map(str::to_owned));
        Ok(Self { reader, conn, linked, interner: Interner::default(), spaces })
    }

    pub(super) fn connection(&mut self) -> &mut Connection {
        &mut self.conn
    }

    /// Continues the transaction numbers of another index, which this one replaces.
    pub(super) fn continue_log(&mut self, other: i64) -> Result<()> {
        change_log::continue_from(&self.conn, other).map_err(|error| store_error(self.reader.path(), error))
    }

    /// Runs `work` in a transaction that takes effect completely or not at all, and logs the rows that it touched.
    fn write<T>(
        &mut self,
        work: impl FnOnce(&Connection, Checkout, &mut Interner, &mut Vec<i64>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let (conn, interner, linked) = (&mut self.conn, &mut self.interner, self.linked.as_deref());
        let done = (|| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let Some(checkout) = Checkout::find(&tx, linked)? else { return Ok(None) };
            let mut touched = Vec::new();
            let result = work(&tx, checkout, interner, &mut touched)?;
            change_log::append(&tx, &touched)?;
            tx.commit()?;
            Ok(Some(result))
        })();
        let done = done.map_err(|error| {
            self.interner.forget();
            store_error(self.reader.path(), error)
        })?;
        done.ok_or_else(StoreError::not_initialized)
    }

    /// Deletes the file versions that `forget` leaves unused, and returns their number.
    fn forget(&mut self, forget: impl FnOnce(&Connection) -> rusqlite::Result<()>) -> Result<u64> {
        self.write(|conn, checkout, interner, touched| {
            forget(conn)?;
            let unused = trees::unused_files(conn)?;
            if unused.is_empty() {
                return Ok(0);
            }
            let mut batch = WriteBatch::new(conn, checkout, interner, touched)?;
            unused.iter().try_for_each(|file| batch.delete_file(*file))?;
            batch.finish()?;
            Ok(unused.len() as u64)
        })
    }

    fn write_to(
        &mut self,
        target: WriteTarget,
        updates: &[FileUpdate],
        prepared: Vec<contract::PreparedFile>,
    ) -> Result<WriteOutcome> {
        let statics = updates.iter().flat_map(|update| update.static_vectors.iter().flatten());
        Stage::Static.check_dimensions(&self.spaces, statics)?;
        let known = updates.iter().flat_map(|update| update.known_vectors.iter().flatten());
        Stage::Provider.check_dimensions(&self.spaces, known)?;
        let expected_space = self.spaces.provider.clone();
        let prepared = prepared.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
        self.write(|conn, checkout, interner, touched| {
            let batch = WriteBatch::new(conn, checkout, interner, touched)?;
            let mut batch = batch.with_known_vectors(&expected_space)?;
            for (update, prepared) in updates.iter().zip(prepared) {
                let prepared = prepared.and_then(contract::PreparedFile::into_inner);
                let prepared = prepared.unwrap_or_else(|| PreparedFile::new(update));
                match target {
                    WriteTarget::WorkingTree => batch.write_file(update, prepared)?,
                    WriteTarget::Parked => batch.park_content(update, prepared)?,
                }
            }
            batch.finish()
        })
    }
}

/// Where a file is written to.
#[derive(Clone, Copy, Debug)]
enum WriteTarget {
    WorkingTree,
    /// Not part of the working tree: for commits.
    Parked,
}

impl IndexWriter for SqliteWriter {
    fn reader(&self) -> &dyn IndexReader {
        &self.reader
    }

    fn write_files(&mut self, updates: &[FileUpdate]) -> Result<WriteOutcome> {
        let prepared = updates.iter().map(self.preparation()).collect();
        self.write_prepared(updates, prepared)
    }

    fn preparation(&self) -> Preparation {
        |update| contract::PreparedFile::new(PreparedFile::new(update))
    }

    fn write_prepared(
        &mut self,
        updates: &[FileUpdate],
        prepared: Vec<contract::PreparedFile>,
    ) -> Result<WriteOutcome> {
        self.write_to(WriteTarget::WorkingTree, updates, prepared)
    }

    fn write_contents(
        &mut self,
        updates: &[FileUpdate],
        prepared: Vec<contract::PreparedFile>,
    ) -> Result<()> {
        self.write_to(WriteTarget::Parked, updates, prepared).map(drop)
    }

    fn write_tree(&mut self, key: &TreeKey, files: &[FileRow], missing: u64) -> Result<()> {
        self.write(|conn, _, _, _| trees::write(conn, key, files, missing))
    }

    fn forget_trees(&mut self, age: Duration, most: usize) -> Result<u64> {
        self.forget(|conn| trees::forget(conn, age, most))
    }

    fn link_files(&mut self, files: &[(FileRow, i64)]) -> Result<()> {
        self.write(|conn, checkout, interner, touched| {
            let is_logged = files.len() < LOGGED_FILES;
            let mut batch = WriteBatch::new(conn, checkout, interner, touched)?;
            for (file, mtime_ns) in files {
                batch.link_file(file.0, *mtime_ns)?;
                if is_logged {
                    batch.touch_chunks_of(file.0)?;
                }
            }
            batch.finish()?;
            if is_logged { Ok(()) } else { change_log::append_everything(conn) }
        })
    }

    fn forget_checkouts(&mut self, names: &[String]) -> Result<u64> {
        self.forget(|conn| names.iter().try_for_each(|name| checkouts::forget(conn, name)))
    }

    fn touch_files(&mut self, files: &[(String, FileState)]) -> Result<()> {
        self.write(|conn, checkout, _, _| {
            files.iter().try_for_each(|(path, state)| checkout.touch(conn, path, state))
        })
    }

    fn remove_files(&mut self, paths: &[String]) -> Result<()> {
        self.write(|conn, checkout, interner, touched| {
            let mut batch = WriteBatch::new(conn, checkout, interner, touched)?;
            for path in paths {
                batch.remove_file(path)?;
            }
            batch.finish().map(drop)
        })
    }

    fn write_vectors(&mut self, batch: &[(ChunkRow, Vec<f32>)]) -> Result<()> {
        Stage::Provider.check_dimensions(&self.spaces, batch.iter().map(|(_, vector)| vector))?;
        let expected_space = self.spaces.provider.clone();
        let space = self.write(|conn, _, _, touched| {
            let space = meta::space(conn, Stage::Provider)?;
            // Another process may have changed the provider since this writer was opened.
            if space != expected_space {
                return Ok(space);
            }
            let mut claim = conn.prepare_cached(
                "UPDATE chunk_rows SET pending = NULL WHERE id = ? AND pending IS NOT NULL",
            )?;
            let mut claimed = Vec::with_capacity(batch.len());
            for (row, vector) in batch {
                // A chunk that was deleted, or got its vector in the meantime, is not pending.
                if claim.execute([row.0])? == 1 {
                    claimed.push((row.0, EncodedVector::new(vector)));
                    touched.push(row.0);
                }
            }
            let mut vectors = VectorWriter::new(conn);
            vectors.insert(Stage::Provider, claimed)?;
            vectors.finish()?;
            Ok(space)
        })?;
        if space == expected_space {
            Ok(())
        } else {
            Err(StoreError::provider_mismatch(&space, &expected_space))
        }
    }

    fn change_provider(&mut self, space: &VectorSpace) -> Result<()> {
        self.write(|conn, _, _, _| schema::change_provider(conn, space))?;
        self.spaces.provider = space.clone();
        Ok(())
    }

    fn refuse(&mut self, row: ChunkRow, reason: &str) -> Result<()> {
        self.write(|conn, _, _, touched| {
            let claimed = conn
                .prepare_cached("UPDATE chunk_rows SET pending = NULL WHERE id = ? AND pending IS NOT NULL")?
                .execute([row.0])?;
            if claimed == 1 {
                touched.push(row.0);
                conn.prepare_cached("INSERT INTO refused (id, reason) VALUES (?, ?)")?
                    .execute((row.0, reason))?;
            }
            Ok(())
        })
    }

    fn write_commits(&mut self, head: &CommitId, updates: &[CommitUpdate]) -> Result<()> {
        let vectors = updates.iter().filter_map(|update| update.vector.as_ref());
        Stage::Static.check_dimensions(&self.spaces, vectors)?;
        let key = self.reader.meta_key(HISTORY_HEAD).into_owned();
        self.write(|conn, _, _, _| {
            commits::write(conn, updates)?;
            meta::write_history_head(conn, &key, head)?;
            meta::next_history_version(conn)?;
            change_log::append_nothing(conn)
        })
    }

    fn keep_commits(&mut self, kept: &HashSet<CommitId>) -> Result<usize> {
        self.write(|conn, _, _, _| {
            let KeptCommits { there, deleted } = commits::keep(conn, kept)?;
            if kept.is_empty() {
                meta::forget_history(conn)?;
            }
            if deleted > 0 {
                meta::next_history_version(conn)?;
                change_log::append_nothing(conn)?;
            }
            Ok(there)
        })
    }

    fn set_skipped(&mut self, counts: &[(SkipReason, u64)]) -> Result<()> {
        self.write(|conn, checkout, _, _| {
            let checkout = checkout.number();
            conn.execute("DELETE FROM skipped WHERE checkout = ?", [checkout])?;
            let mut insert =
                conn.prepare_cached("INSERT INTO skipped (checkout, reason, count) VALUES (?, ?, ?)")?;
            for (reason, count) in counts.iter().filter(|(_, count)| *count > 0) {
                insert.execute((checkout, enum_codes::reason_name(*reason), count))?;
            }
            Ok(())
        })
    }

    fn set_meta(&mut self, key: &str, value: &str) -> Result<()> {
        let key = self.reader.meta_key(key).into_owned();
        self.write(|conn, _, _, _| meta::set(conn, &key, value))
    }

    fn repair(&mut self) -> Result<()> {
        self.write(|conn, _, interner, touched| {
            repair::repair(conn, interner, touched)?;
            change_log::append_everything(conn)
        })
    }

    fn compact(&mut self) -> Result<()> {
        // A query looks up each of its words in every segment.
        self.write(|conn, _, _, _| fulltext::merge_all(conn))?;
        let done = self
            .conn
            .pragma_query(None, "incremental_vacuum", |_| Ok(()))
            .and_then(|()| self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        done.map_err(|error| store_error(self.reader.path(), error))
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::{ContentClass, FileFlags, ParsedFile, VectorSpace};

    use super::*;
    use crate::StoreErrorCode;
    use crate::contract::ContentVersion;

    fn empty_file(path: &str) -> FileUpdate {
        let parsed = ParsedFile {
            path: path.into(),
            language: "rust".into(),
            class: ContentClass::Code,
            flags: FileFlags::default(),
            chunks: Vec::new(),
            definitions: Vec::new(),
            references: Vec::new(),
            imports: Vec::new(),
        };
        let state =
            FileState { mtime_ns: 1, size: 0, hash: [0; 32], blob: None, content_version: ContentVersion(1) };
        FileUpdate { state, parsed, static_vectors: Vec::new(), known_vectors: Vec::new() }
    }

    #[test]
    fn a_full_disk_is_named_and_the_index_stays_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let space = VectorSpace::new("test", "test", 8);
        let spaces = IndexSpaces { statics: space.clone(), provider: space };
        let mut writer = SqliteWriter::create(&directory.path().join("index.db"), None, &spaces).unwrap();
        writer.write_files(&[empty_file("kept.rs")]).unwrap();

        // SQLite treats its own size limit like a full disk.
        writer.connection().pragma_update(None, "max_page_count", 1).unwrap();
        let many: Vec<_> = (0..1000).map(|number| empty_file(&format!("src/{number}.rs"))).collect();
        let refused = writer.write_files(&many);
        assert!(refused.as_ref().is_err_and(|error| error.code() == StoreErrorCode::DiskFull), "{refused:?}");
        assert_eq!(writer.reader().files().unwrap().into_keys().collect::<Vec<_>>(), ["kept.rs"]);

        writer.connection().pragma_update(None, "max_page_count", 1_000_000).unwrap();
        writer.write_files(&many).unwrap();
        assert_eq!(writer.reader().stats().unwrap().files, 1001);
    }
}
