//! [`SqliteWriter`]: the writing half over one database file. Each call is one transaction.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, TransactionBehavior};
use vectorcode_core::api::Coverage;
use vectorcode_core::{Import, Reference, SkipReason, VectorSpace};

use crate::contract::{
    ChunkFilter, ChunkRow, DefiningChunk, DefinitionMatch, FileState, FileUpdate, IndexReader, IndexSpaces,
    IndexStats, IndexWriter, NameMatch, PendingChunk, Result, Scored, SourceFile, Stage, StoredChunk,
    StoredDefinition, StoredReference, TextQuery, WriteOutcome,
};
use crate::interner::Interner;
use crate::replace::Replacement;
use crate::{SqliteReader, StoreError, damage, database, meta, quantize, schema};

/// The log of changes goes back this many transactions.
const LOGGED_TRANSACTIONS: i64 = 128;
/// A transaction that touches more rows than this only says that it touched many.
const LOGGED_ROWS: usize = 1000;

/// The writer of an index; whoever opens one holds the [`crate::WriterLock`]. It reads through connections of its
/// own, which see what was committed.
#[derive(Debug)]
pub struct SqliteWriter {
    reader: SqliteReader,
    /// Only touched through `&mut self`; the mutex is there to let the reading half be shared.
    conn: Mutex<Connection>,
    interner: Interner,
    spaces: IndexSpaces,
}

impl SqliteWriter {
    /// Makes a new, empty index at `path`, where there is none. It appears there whole or not at all.
    pub fn create(path: &Path, spaces: &IndexSpaces) -> Result<Self> {
        let draft = database::with_suffix(path, ".draft");
        damage::remove_database(&draft)?;
        let mut conn = database::connect_writer(&draft)?;
        schema::create(&mut conn, spaces).map_err(|error| StoreError::sqlite(path, error))?;
        conn.close().map_err(|(_, error)| StoreError::sqlite(path, error))?;
        std::fs::rename(&draft, path).map_err(|error| StoreError::io("create", path, error))?;
        Self::open(path)
    }

    /// Opens the index at `path`, bringing an older one up to today's schema. A damaged one is set aside: the error
    /// says where to, and a new one can be made.
    pub fn open(path: &Path) -> Result<Self> {
        let reader = match SqliteReader::open(path) {
            Err(StoreError::Damaged { path, .. }) => {
                let set_aside = Some(damage::set_aside(&path)?);
                return Err(StoreError::Damaged { path, set_aside });
            }
            opened => opened?,
        };
        let mut conn = database::connect_writer(path)?;
        schema::migrate(&mut conn).map_err(|error| StoreError::sqlite(path, error))?;
        let spaces = reader.spaces()?;
        Ok(Self { reader, conn: Mutex::new(conn), interner: Interner::default(), spaces })
    }

    pub fn path(&self) -> &Path {
        self.reader.path()
    }

    pub(crate) fn connection(&mut self) -> &mut Connection {
        self.conn.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the numbers of this index's transactions go on from those of another, which it replaces.
    pub(crate) fn continue_log(&mut self, other: i64) -> Result<()> {
        let seq = self.reader.last_change()?.max(other) + 1;
        let logged = self.connection().execute("INSERT INTO changes (seq, rows) VALUES (?, NULL)", [seq]);
        logged.map(drop).map_err(|error| StoreError::sqlite(self.reader.path(), error))
    }

    /// Runs `work` in a transaction that takes effect whole or not at all, and logs the rows that it touched.
    fn write<T>(
        &mut self,
        work: impl FnOnce(&Connection, &mut Interner, &mut Vec<i64>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let conn = self.conn.get_mut().unwrap_or_else(PoisonError::into_inner);
        let interner = &mut self.interner;
        let done = (|| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut touched = Vec::new();
            let result = work(&tx, interner, &mut touched)?;
            log_changes(&tx, &touched)?;
            tx.commit()?;
            Ok(result)
        })();
        done.map_err(|error| {
            self.interner.forget();
            StoreError::sqlite(self.reader.path(), error)
        })
    }

    fn check_dimensions<'v>(
        &self,
        stage: Stage,
        mut vectors: impl Iterator<Item = &'v Vec<f32>>,
    ) -> Result<()> {
        let expected = match stage {
            Stage::Static => self.spaces.statics.dimensions,
            Stage::Provider => self.spaces.provider.dimensions,
        };
        match vectors.find(|vector| vector.len() != expected) {
            Some(wrong) => Err(StoreError::WrongDimensions { expected, found: wrong.len() }),
            None => Ok(()),
        }
    }
}

fn log_changes(conn: &Connection, touched: &[i64]) -> rusqlite::Result<()> {
    if touched.is_empty() {
        return Ok(());
    }
    let rows = (touched.len() <= LOGGED_ROWS).then(|| schema::changed_blob(touched));
    let seq = conn.prepare_cached("INSERT INTO changes (rows) VALUES (?)")?.insert([rows])?;
    conn.prepare_cached("DELETE FROM changes WHERE seq <= ?")?.execute([seq - LOGGED_TRANSACTIONS])?;
    Ok(())
}

impl IndexWriter for SqliteWriter {
    fn write_files(&mut self, updates: &[FileUpdate]) -> Result<WriteOutcome> {
        let statics = updates.iter().flat_map(|update| update.static_vectors.iter().flatten());
        self.check_dimensions(Stage::Static, statics)?;
        self.write(|conn, interner, touched| {
            let mut replacement = Replacement::new(conn, interner, touched);
            for update in updates {
                replacement.write_file(update)?;
            }
            replacement.finish()
        })
    }

    fn touch_files(&mut self, files: &[(String, FileState)]) -> Result<()> {
        self.write(|conn, _, _| {
            let mut file = conn.prepare_cached(
                "UPDATE files SET mtime_ns = ?2, size = ?3, hash = ?4 WHERE path = ?1 RETURNING id",
            )?;
            let mut waiting = conn.prepare_cached(
                "UPDATE chunks SET pending = ?2 WHERE file_id = ?1 AND pending IS NOT NULL",
            )?;
            for (path, state) in files {
                let ids = file.query_map((path, state.mtime_ns, state.size, state.hash), |row| row.get(0))?;
                for id in ids.collect::<rusqlite::Result<Vec<i64>>>()? {
                    waiting.execute([id, state.mtime_ns])?;
                }
            }
            Ok(())
        })
    }

    fn remove_files(&mut self, paths: &[String]) -> Result<()> {
        self.write(|conn, interner, touched| {
            let mut replacement = Replacement::new(conn, interner, touched);
            for path in paths {
                replacement.remove_file(path)?;
            }
            replacement.finish().map(drop)
        })
    }

    fn write_vectors(&mut self, vectors: &[(ChunkRow, Vec<f32>)]) -> Result<()> {
        self.check_dimensions(Stage::Provider, vectors.iter().map(|(_, vector)| vector))?;
        let meant_for = self.spaces.provider.clone();
        let space = self.write(|conn, _, touched| {
            let space = meta::space(conn, Stage::Provider)?;
            // Another process may have changed the provider since this writer was opened.
            if space != meant_for {
                return Ok(space);
            }
            let mut claim =
                conn.prepare_cached("UPDATE chunks SET pending = NULL WHERE id = ? AND pending IS NOT NULL")?;
            let mut insert =
                conn.prepare_cached("INSERT INTO vec_chunks (rowid, embedding) VALUES (?, vec_int8(?))")?;
            for (row, vector) in vectors {
                // A chunk that is gone, or has its vector already, does not wait.
                if claim.execute([row.0])? == 1 {
                    insert.execute((row.0, quantize::as_blob(&quantize::to_int8(vector))))?;
                    touched.push(row.0);
                }
            }
            Ok(space)
        })?;
        if space == meant_for { Ok(()) } else { Err(StoreError::provider_mismatch(&space, &meant_for)) }
    }

    fn change_provider(&mut self, space: &VectorSpace) -> Result<()> {
        self.write(|conn, _, _| schema::change_provider(conn, space))?;
        self.spaces.provider = space.clone();
        Ok(())
    }

    fn refuse(&mut self, row: ChunkRow, reason: &str) -> Result<()> {
        self.write(|conn, _, _| {
            let claimed = conn
                .prepare_cached("UPDATE chunks SET pending = NULL WHERE id = ? AND pending IS NOT NULL")?
                .execute([row.0])?;
            if claimed == 1 {
                conn.prepare_cached("INSERT INTO refused (id, reason) VALUES (?, ?)")?
                    .execute((row.0, reason))?;
            }
            Ok(())
        })
    }

    fn set_skipped(&mut self, counts: &[(SkipReason, u64)]) -> Result<()> {
        self.write(|conn, _, _| {
            conn.execute("DELETE FROM skipped", [])?;
            let mut insert = conn.prepare_cached("INSERT INTO skipped (reason, count) VALUES (?, ?)")?;
            for (reason, count) in counts.iter().filter(|(_, count)| *count > 0) {
                insert.execute((reason_name(*reason), count))?;
            }
            Ok(())
        })
    }

    fn set_meta(&mut self, key: &str, value: &str) -> Result<()> {
        self.write(|conn, _, _| {
            conn.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")?
                .execute([key, value])
                .map(drop)
        })
    }

    fn compact(&mut self) -> Result<()> {
        let conn = self.connection();
        let done = conn
            .pragma_query(None, "incremental_vacuum", |_| Ok(()))
            .and_then(|()| conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        done.map_err(|error| StoreError::sqlite(self.reader.path(), error))
    }
}

/// As the reason is called in JSON.
fn reason_name(reason: SkipReason) -> String {
    match serde_json::to_value(reason) {
        Ok(serde_json::Value::String(name)) => name,
        _ => format!("{reason:?}"),
    }
}

impl IndexReader for SqliteWriter {
    fn files(&self) -> Result<HashMap<String, FileState>> {
        self.reader.files()
    }

    fn file(&self, path: &str) -> Result<Option<FileState>> {
        self.reader.file(path)
    }

    fn stats(&self) -> Result<IndexStats> {
        self.reader.stats()
    }

    fn coverage(&self) -> Result<Coverage> {
        self.reader.coverage()
    }

    fn count(&self, filter: &ChunkFilter) -> Result<u64> {
        self.reader.count(filter)
    }

    fn skipped(&self) -> Result<Vec<(SkipReason, u64)>> {
        self.reader.skipped()
    }

    fn meta(&self, key: &str) -> Result<Option<String>> {
        self.reader.meta(key)
    }

    fn spaces(&self) -> Result<IndexSpaces> {
        Ok(self.spaces.clone())
    }

    fn full_text(&self, query: &TextQuery, filter: &ChunkFilter, k: usize) -> Result<Vec<Scored>> {
        self.reader.full_text(query, filter, k)
    }

    fn nearest(&self, stage: Stage, vector: &[f32], filter: &ChunkFilter, k: usize) -> Result<Vec<Scored>> {
        self.reader.nearest(stage, vector, filter, k)
    }

    fn similarities(&self, stage: Stage, vector: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>> {
        self.reader.similarities(stage, vector, rows)
    }

    fn chunks(&self, rows: &[ChunkRow]) -> Result<Vec<Arc<StoredChunk>>> {
        self.reader.chunks(rows)
    }

    fn chunks_of(&self, path: &str) -> Result<Vec<StoredChunk>> {
        self.reader.chunks_of(path)
    }

    fn definitions(&self, name: &NameMatch, filter: &ChunkFilter, k: usize) -> Result<Vec<DefinitionMatch>> {
        self.reader.definitions(name, filter, k)
    }

    fn defining_chunks(
        &self,
        name: &NameMatch,
        filter: &ChunkFilter,
        k: usize,
    ) -> Result<Vec<DefiningChunk>> {
        self.reader.defining_chunks(name, filter, k)
    }

    fn definitions_of(&self, path: &str) -> Result<Vec<StoredDefinition>> {
        self.reader.definitions_of(path)
    }

    fn definitions_named(&self, name: &str) -> Result<Vec<StoredDefinition>> {
        self.reader.definitions_named(name)
    }

    fn references_named(&self, name: &str) -> Result<Vec<StoredReference>> {
        self.reader.references_named(name)
    }

    fn references_of(&self, path: &str) -> Result<Vec<Reference>> {
        self.reader.references_of(path)
    }

    fn imports(&self) -> Result<Vec<(String, Import)>> {
        self.reader.imports()
    }

    fn source_files(&self) -> Result<Vec<SourceFile>> {
        self.reader.source_files()
    }

    fn facts_version(&self) -> Result<i64> {
        self.reader.facts_version()
    }

    fn pending(&self, k: usize) -> Result<Vec<PendingChunk>> {
        self.reader.pending(k)
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::{ContentClass, FileFlags, ParsedFile, VectorSpace};

    use super::*;

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
        let state = FileState { mtime_ns: 1, size: 0, hash: [0; 32] };
        FileUpdate { state, parsed, static_vectors: Vec::new() }
    }

    #[test]
    fn a_full_disk_is_named_and_the_index_stays_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let space = VectorSpace::new("test", "test", 8);
        let spaces = IndexSpaces { statics: space.clone(), provider: space };
        let mut writer = SqliteWriter::create(&directory.path().join("index.db"), &spaces).unwrap();
        writer.write_files(&[empty_file("kept.rs")]).unwrap();

        // SQLite treats its own limit as it treats a disk without space.
        writer.connection().pragma_update(None, "max_page_count", 1).unwrap();
        let many: Vec<_> = (0..1000).map(|number| empty_file(&format!("src/{number}.rs"))).collect();
        let refused = writer.write_files(&many);
        assert!(matches!(refused, Err(StoreError::DiskFull { .. })), "{refused:?}");
        assert_eq!(writer.files().unwrap().into_keys().collect::<Vec<_>>(), ["kept.rs"]);

        writer.connection().pragma_update(None, "max_page_count", 1_000_000).unwrap();
        writer.write_files(&many).unwrap();
        assert_eq!(writer.stats().unwrap().files, 1001);
    }
}
