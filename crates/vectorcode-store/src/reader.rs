//! [`SqliteReader`]: the reading half over one database file.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row};
use vectorcode_core::{Chunk, Import, Reference, SkipReason, Span, chunk_id, content_hash};

use crate::catalog::CompiledFilter;
use crate::codes::{self, ChunkTraits};
use crate::contract::{
    ChunkFilter, ChunkRow, DefinitionMatch, FileState, IndexReader, IndexSpaces, IndexStats, NameMatch,
    PendingChunk, Result, Scored, SourceFile, Stage, StoredChunk, StoredDefinition, StoredReference,
    TextQuery,
};
use crate::database::{ReaderPool, with_suffix};
use crate::live::{Live, Needs};
use crate::matrix::Probe;
use crate::rowset::RowSet;
use crate::{StoreError, definitions, facts, fulltext, live, meta};

/// A reader of an index; share it between threads by reference.
#[derive(Debug)]
pub struct SqliteReader {
    pool: ReaderPool,
    live: Live,
}

impl SqliteReader {
    /// Opens the index file at `path`, which must exist.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self { pool: ReaderPool::open(path)?, live: Live::default() })
    }

    pub fn path(&self) -> &Path {
        self.pool.path()
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        if self.pool.notice_replacement()? {
            self.live.forget();
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
        let copies = self.live.at(conn, Needs { catalog: true, vectors: None })?;
        Ok(copies.catalog().map(|catalog| catalog.select(filter)))
    }

    /// A query of another length than the index's vectors would compare nothing with nothing.
    fn check_dimensions(&self, stage: Stage, vector: &[f32]) -> Result<()> {
        let expected = self.read(|conn| meta::dimensions(conn, stage))?;
        let found = vector.len();
        if expected == found { Ok(()) } else { Err(StoreError::WrongDimensions { expected, found }) }
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

    fn count(&self, filter: &ChunkFilter) -> Result<u64> {
        let filter = CompiledFilter::new(filter)?;
        let selected = self.read(|conn| self.select(conn, filter.as_ref()))?;
        match selected {
            Some(rows) => Ok(rows.len() as u64),
            None => Ok(self.stats()?.chunks),
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
        self.check_dimensions(stage, vector)?;
        let probe = Probe::new(vector);
        self.read(|conn| {
            let allowed = self.select(conn, filter.as_ref())?;
            let copies = self.live.at(conn, Needs { catalog: false, vectors: Some(stage) })?;
            let nearest = copies.vectors(stage).map(|matrix| matrix.nearest(&probe, allowed.as_ref(), k));
            Ok(nearest.unwrap_or_default())
        })
    }

    fn similarities(&self, stage: Stage, vector: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>> {
        self.check_dimensions(stage, vector)?;
        let probe = Probe::new(vector);
        self.read(|conn| {
            let copies = self.live.at(conn, Needs { catalog: false, vectors: Some(stage) })?;
            let matrix = copies.vectors(stage);
            Ok(rows.iter().map(|row| matrix.and_then(|matrix| matrix.similarity(&probe, *row))).collect())
        })
    }

    fn chunks(&self, rows: &[ChunkRow]) -> Result<Vec<StoredChunk>> {
        self.read(|conn| {
            let mut chunk = conn.prepare_cached(&format!("{SELECT_CHUNK} WHERE c.id = ?"))?;
            let found = rows.iter().map(|row| chunk.query_row([row.0], stored_chunk).optional());
            found.filter_map(Result::transpose).collect()
        })
    }

    fn chunks_of(&self, path: &str) -> Result<Vec<StoredChunk>> {
        self.read(|conn| {
            let sql = format!("{SELECT_CHUNK} WHERE f.path = ? ORDER BY c.byte_start, c.byte_end");
            conn.prepare_cached(&sql)?.query_map([path], stored_chunk)?.collect()
        })
    }

    fn definitions(&self, name: &NameMatch, filter: &ChunkFilter, k: usize) -> Result<Vec<DefinitionMatch>> {
        let kind = filter.kind.clone();
        let filter = ChunkFilter { kind: None, ..filter.clone() };
        let filter = CompiledFilter::new(&filter)?;
        self.read(|conn| {
            let allowed = self.select(conn, filter.as_ref())?;
            definitions::find(conn, name, &definitions::Restriction { allowed, kind }, k)
        })
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
        self.read(|conn| {
            let sql =
                format!("{SELECT_CHUNK} WHERE c.pending IS NOT NULL ORDER BY c.pending DESC, c.id LIMIT ?");
            let mut waiting = conn.prepare_cached(&sql)?;
            waiting.query_map([k as i64], |row| Ok(pending_chunk(stored_chunk(row)?)))?.collect()
        })
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
    let chunks = count("SELECT count(*) FROM chunks")?;
    let refused = count("SELECT count(*) FROM refused")?;
    let waiting = count("SELECT count(*) FROM chunks WHERE pending IS NOT NULL")?;
    let mut languages = conn.prepare_cached(
        "SELECT name, count(*) AS files FROM files JOIN labels ON labels.id = files.language
         GROUP BY name ORDER BY files DESC, name",
    )?;
    let languages = languages.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(IndexStats {
        files: count("SELECT count(*) FROM files")?,
        chunks,
        symbols: count("SELECT count(*) FROM symbols")?,
        embedded: chunks.saturating_sub(refused + waiting),
        refused,
        languages: languages.collect::<Result<_, _>>()?,
        database_bytes: 0,
    })
}

const SELECT_CHUNK: &str =
    "SELECT c.id, f.path, c.start_line, c.end_line, c.byte_start, c.byte_end, c.symbol,
        kind.name, t.content, c.parent_context, language.name, f.class, c.traits, f.flags, f.mtime_ns
    FROM chunks AS c JOIN files AS f ON f.id = c.file_id JOIN chunk_text AS t ON t.id = c.id
        JOIN labels AS kind ON kind.id = c.kind JOIN labels AS language ON language.id = f.language";

fn stored_chunk(row: &Row<'_>) -> rusqlite::Result<StoredChunk> {
    let path: String = row.get(1)?;
    let content: String = row.get(8)?;
    let span = Span {
        start_line: row.get(2)?,
        end_line: row.get(3)?,
        byte_start: row.get(4)?,
        byte_end: row.get(5)?,
    };
    let chunk = Chunk {
        id: chunk_id(&path, span.bytes()),
        path,
        span,
        symbol: row.get(6)?,
        kind: row.get(7)?,
        content_hash: content_hash(content.as_bytes()),
        content,
        parent_context: row.get(9)?,
        language: row.get(10)?,
        class: codes::class_of(row.get(11)?),
        is_test: ChunkTraits(row.get(12)?).is_test(),
    };
    let flags = codes::flags_of(row.get(13)?);
    Ok(StoredChunk { row: ChunkRow(row.get(0)?), chunk, flags, file_mtime_ns: row.get(14)? })
}

fn pending_chunk(stored: StoredChunk) -> PendingChunk {
    PendingChunk {
        row: stored.row,
        start_line: stored.chunk.span.start_line,
        text: stored.chunk.embedding_text(),
        path: stored.chunk.path,
    }
}
