//! [`SqliteReader`]: the reading half over one database file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row};
use vectorcode_core::api::Coverage;
use vectorcode_core::{Import, Reference, SkipReason};

use crate::catalog::CompiledFilter;
use crate::contract::{
    ChunkFilter, ChunkRow, DefiningChunk, DefinitionMatch, FileState, IndexReader, IndexSpaces, IndexStats,
    NameMatch, PendingChunk, Result, Scored, SourceFile, Stage, StoredChunk, StoredDefinition,
    StoredReference, TextQuery,
};
use crate::database::{ReaderPool, with_suffix};
use crate::definitions::Restriction;
use crate::live::{Live, Needs};
use crate::matrix::{Matrix, Probe};
use crate::recent_chunks::RecentChunks;
use crate::rowset::RowSet;
use crate::{StoreError, chunks, definitions, facts, fulltext, live, meta};

/// A reader of an index; share it between threads by reference.
#[derive(Debug)]
pub struct SqliteReader {
    pool: ReaderPool,
    live: Live,
    recent_chunks: RecentChunks,
}

impl SqliteReader {
    /// Opens the index file at `path`, which must exist.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            pool: ReaderPool::open(path)?,
            live: Live::default(),
            recent_chunks: RecentChunks::default(),
        })
    }

    pub fn path(&self) -> &Path {
        self.pool.path()
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        if self.pool.notice_replacement()? {
            self.live.forget();
            self.recent_chunks.forget();
        }
        self.pool.read(work)
    }

    /// Reads the whole index and says whether it is sound. Takes long on a large one.
    pub fn verify(&self) -> Result<()> {
        let report: String =
            self.read(|conn| conn.pragma_query_value(None, "quick_check", |row| row.get(0)))?;
        if report == "ok" {
            return Ok(());
        }
        tracing::warn!(%report, "the index is damaged");
        Err(StoreError::Damaged { path: self.path().into(), set_aside: None })
    }

    /// The number of the writer's last transaction, in whatever process that was.
    pub fn last_change(&self) -> Result<i64> {
        self.read(live::last_change)
    }

    /// The rows that a filter lets through; `None` for all.
    fn select(
        &self,
        conn: &Connection,
        filter: Option<&CompiledFilter<'_>>,
    ) -> rusqlite::Result<Option<RowSet>> {
        let Some(filter) = filter else { return Ok(None) };
        let copies = self.live.at(conn, Needs { catalog: true, ..Needs::default() })?;
        Ok(copies.catalog().map(|catalog| catalog.select(filter)))
    }

    /// Looks definitions up under a filter, whose kind is that of definitions.
    fn within<T>(
        &self,
        filter: &ChunkFilter,
        find: impl FnOnce(&Connection, &Restriction) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let kind = filter.kind.clone();
        let filter = ChunkFilter { kind: None, ..filter.clone() };
        let filter = CompiledFilter::new(&filter)?;
        self.read(|conn| {
            let allowed = self.select(conn, filter.as_ref())?;
            find(conn, &Restriction { allowed, kind })
        })
    }

    /// Compares a query with the vectors of a stage. One of another length would compare nothing with nothing.
    fn compare<T: Default>(
        &self,
        conn: &Connection,
        stage: Stage,
        vector: &[f32],
        compare: impl FnOnce(&Matrix) -> T,
    ) -> rusqlite::Result<Result<T>> {
        let found = vector.len();
        let copies = self.live.at(conn, Needs { vectors: Some(stage), ..Needs::default() })?;
        Ok(match copies.vectors(stage).map(|matrix| (matrix, matrix.dimensions())) {
            Some((_, expected)) if expected != found => Err(StoreError::WrongDimensions { expected, found }),
            Some((matrix, _)) => Ok(compare(matrix)),
            None => Ok(T::default()),
        })
    }
}

impl IndexReader for SqliteReader {
    fn files(&self) -> Result<HashMap<String, FileState>> {
        self.read(|conn| {
            let mut files = conn.prepare_cached("SELECT path, mtime_ns, size, hash FROM files")?;
            files.query_map([], |row| Ok((row.get(0)?, file_state(row)?)))?.collect()
        })
    }

    fn file(&self, path: &str) -> Result<Option<FileState>> {
        self.read(|conn| {
            let mut file =
                conn.prepare_cached("SELECT path, mtime_ns, size, hash FROM files WHERE path = ?")?;
            file.query_row([path], file_state).optional()
        })
    }

    fn stats(&self) -> Result<IndexStats> {
        let mut stats = self.read(read_stats)?;
        let size = |path: &Path| path.metadata().map_or(0, |file| file.len());
        stats.database_bytes = size(self.path()) + size(&with_suffix(self.path(), "-wal"));
        Ok(stats)
    }

    fn coverage(&self) -> Result<Coverage> {
        self.read(|conn| {
            let copies = self.live.at(conn, Needs { coverage: true, ..Needs::default() })?;
            Ok(copies.coverage().unwrap_or_default())
        })
    }

    fn count(&self, filter: &ChunkFilter) -> Result<u64> {
        let filter = CompiledFilter::new(filter)?;
        let selected = self.read(|conn| self.select(conn, filter.as_ref()))?;
        match selected {
            Some(rows) => Ok(rows.len() as u64),
            None => Ok(self.coverage()?.total),
        }
    }

    fn skipped(&self) -> Result<Vec<(SkipReason, u64)>> {
        self.read(|conn| {
            let mut skipped = conn.prepare_cached("SELECT reason, count FROM skipped ORDER BY count DESC")?;
            let rows = skipped.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
            let known = rows.filter_map(|row| {
                row.map(|(reason, count)| Some((parse_reason(&reason)?, count))).transpose()
            });
            known.collect()
        })
    }

    fn meta(&self, key: &str) -> Result<Option<String>> {
        self.read(|conn| meta::get(conn, key))
    }

    fn spaces(&self) -> Result<IndexSpaces> {
        self.read(meta::spaces)
    }

    fn full_text(&self, query: &TextQuery, filter: &ChunkFilter, k: usize) -> Result<Vec<Scored>> {
        let filter = CompiledFilter::new(filter)?;
        let query = fulltext::Query::new(query);
        self.read(|conn| {
            let allowed = self.select(conn, filter.as_ref())?;
            fulltext::rank(conn, &query, allowed.as_ref(), k)
        })
    }

    fn nearest(&self, stage: Stage, vector: &[f32], filter: &ChunkFilter, k: usize) -> Result<Vec<Scored>> {
        let filter = CompiledFilter::new(filter)?;
        let probe = Probe::new(vector);
        self.read(|conn| {
            let allowed = self.select(conn, filter.as_ref())?;
            self.compare(conn, stage, vector, |matrix| matrix.nearest(&probe, allowed.as_ref(), k))
        })?
    }

    fn similarities(&self, stage: Stage, vector: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>> {
        let probe = Probe::new(vector);
        self.read(|conn| self.compare(conn, stage, vector, |matrix| matrix.similarities(&probe, rows)))?
    }

    fn chunks(&self, rows: &[ChunkRow]) -> Result<Vec<Arc<StoredChunk>>> {
        self.read(|conn| {
            let seq = live::last_change(conn)?;
            let mut found = self.recent_chunks.get(seq, rows);
            let loaded = chunks::load_missing(conn, rows, &mut found)?;
            self.recent_chunks.keep(seq, &loaded);
            Ok(found.into_iter().flatten().collect())
        })
    }

    fn chunks_of(&self, path: &str) -> Result<Vec<StoredChunk>> {
        self.read(|conn| chunks::of_file(conn, path))
    }

    fn definitions(&self, name: &NameMatch, filter: &ChunkFilter, k: usize) -> Result<Vec<DefinitionMatch>> {
        self.within(filter, |conn, restriction| definitions::find(conn, name, restriction, k))
    }

    fn defining_chunks(
        &self,
        name: &NameMatch,
        filter: &ChunkFilter,
        k: usize,
    ) -> Result<Vec<DefiningChunk>> {
        self.within(filter, |conn, restriction| definitions::find_chunks(conn, name, restriction, k))
    }

    fn definitions_of(&self, path: &str) -> Result<Vec<StoredDefinition>> {
        self.read(|conn| definitions::of_file(conn, path))
    }

    fn definitions_named(&self, name: &str) -> Result<Vec<StoredDefinition>> {
        self.read(|conn| definitions::named(conn, name))
    }

    fn references_named(&self, name: &str) -> Result<Vec<StoredReference>> {
        self.read(|conn| facts::references_named(conn, name))
    }

    fn references_of(&self, path: &str) -> Result<Vec<Reference>> {
        self.read(|conn| facts::references_of(conn, path))
    }

    fn imports(&self) -> Result<Vec<(String, Import)>> {
        self.read(facts::imports)
    }

    fn source_files(&self) -> Result<Vec<SourceFile>> {
        self.read(facts::files)
    }

    fn facts_version(&self) -> Result<i64> {
        self.read(meta::facts_version)
    }

    fn pending(&self, k: usize) -> Result<Vec<PendingChunk>> {
        let waiting = self.read(|conn| chunks::pending(conn, k))?;
        Ok(waiting.into_iter().map(pending_chunk).collect())
    }
}

fn file_state(row: &Row<'_>) -> rusqlite::Result<FileState> {
    Ok(FileState { mtime_ns: row.get(1)?, size: row.get(2)?, hash: row.get(3)? })
}

fn parse_reason(name: &str) -> Option<SkipReason> {
    serde_json::from_value(name.into()).ok()
}

fn read_stats(conn: &Connection) -> rusqlite::Result<IndexStats> {
    let count = |sql: &str| conn.prepare_cached(sql)?.query_row([], |row| row.get::<_, u64>(0));
    let Coverage { embedded, total: chunks } = live::read_coverage(conn)?;
    let mut languages = conn.prepare_cached(
        "SELECT name, count(*) AS files FROM files JOIN labels ON labels.id = files.language
         GROUP BY name ORDER BY files DESC, name",
    )?;
    let languages = languages.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(IndexStats {
        files: count("SELECT count(*) FROM files")?,
        chunks,
        symbols: count("SELECT count(*) FROM symbols")?,
        embedded,
        refused: count("SELECT count(*) FROM refused")?,
        languages: languages.collect::<Result<_, _>>()?,
        database_bytes: 0,
    })
}

fn pending_chunk(stored: StoredChunk) -> PendingChunk {
    PendingChunk {
        row: stored.row,
        start_line: stored.chunk.span.start_line,
        text: stored.chunk.embedding_text(),
        path: stored.chunk.path,
    }
}
