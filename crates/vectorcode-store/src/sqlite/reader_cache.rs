//! [`ReaderCache`]: what a reader keeps in memory between queries, and the reads that use it.

use std::sync::{Arc, RwLockReadGuard};

use rusqlite::Connection;
use vectorcode_core::VersionedCache;
use vectorcode_core::api::Coverage;

use super::chunks::{self, Loaded};
use super::connection::ReadFailure;
use super::definitions::KnownNames;
use super::hidden_rows::HiddenRows;
use super::snapshot::{Snapshot, SnapshotCell, SnapshotParts};
use super::vectors::{self, VectorSource};
use super::{change_log, meta, spelling};
use crate::StoreError;
use crate::contract::{ChunkFacts, ChunkRow, IndexStats, StoredChunk};
use crate::index::chunk_attributes::CompiledFilter;
use crate::index::chunk_cache::{Cached, ChunkCache};
use crate::index::row_bitmap::RowBitmap;
use crate::index::spelling::NameWords;
use crate::index::stage::Stage;
use crate::index::top_k::TopK;
use crate::index::vectors::{QueryVector, Wanted};

/// A snapshot of vectors and attributes, recently read chunks, names with their definitions, and words of names. All parts are
/// kept up to date from the change log.
#[derive(Debug, Default)]
pub(super) struct ReaderCache {
    snapshot: SnapshotCell,
    facts: ChunkCache<ChunkFacts>,
    chunks: ChunkCache<StoredChunk>,
    names: KnownNames,
    name_words: VersionedCache<i64, NameWords>,
    hidden_rows: VersionedCache<i64, HiddenRows>,
    /// Web pages and programs poll the status of an idle server.
    stats: VersionedCache<i64, IndexStats>,
}

impl ReaderCache {
    /// Clears the cache, because the file was replaced.
    pub(super) fn forget(&self) {
        self.snapshot.forget();
        self.facts.forget();
        self.chunks.forget();
        self.names.forget();
        self.name_words.forget();
        self.hidden_rows.forget();
        self.stats.forget();
    }

    /// The result of `read`, which runs once per change of the index.
    pub(super) fn read_stats(
        &self,
        conn: &Connection,
        read: impl FnOnce(&Connection) -> rusqlite::Result<IndexStats>,
    ) -> rusqlite::Result<IndexStats> {
        Ok(IndexStats::clone(&*self.stats.get_or_read(change_log::last(conn)?, || read(conn))?))
    }

    pub(super) fn bytes(&self) -> usize {
        self.snapshot.bytes() + self.facts.bytes() + self.chunks.bytes()
    }

    /// Drops what was cached from recent reads.
    pub(super) fn shrink(&self) {
        self.snapshot.shrink();
        self.facts.forget();
        self.chunks.forget();
        self.names.forget();
        self.name_words.forget();
    }

    /// The cache for lookups of definitions.
    pub(super) fn names(&self) -> &KnownNames {
        &self.names
    }

    /// The words of all names, for spelling suggestions.
    pub(super) fn name_words(&self, conn: &Connection) -> rusqlite::Result<Arc<NameWords>> {
        self.name_words.get_or_read(change_log::last(conn)?, || spelling::read_name_words(conn))
    }

    /// The chunks that are not visible. Vectors, which are written many times a minute, do not affect them.
    pub(super) fn hidden_rows(&self, conn: &Connection) -> rusqlite::Result<Arc<HiddenRows>> {
        self.hidden_rows.get_or_read(meta::files_version(conn)?, || HiddenRows::read(conn))
    }

    pub(super) fn coverage(&self, conn: &Connection) -> rusqlite::Result<Coverage> {
        Ok(self.counted(conn)?.coverage().unwrap_or_default())
    }

    /// The number of chunks that wait for a provider vector.
    pub(super) fn pending_count(&self, conn: &Connection) -> rusqlite::Result<u64> {
        Ok(self.counted(conn)?.pending_count())
    }

    fn counted(&self, conn: &Connection) -> rusqlite::Result<RwLockReadGuard<'_, Snapshot>> {
        let hidden = self.hidden_rows(conn)?;
        self.snapshot.at(conn, SnapshotParts { coverage: Some(&hidden), ..SnapshotParts::default() })
    }

    /// Whether so many codes are searched in memory that starting a second thread pays off.
    pub(super) fn is_large(&self) -> bool {
        self.snapshot.is_large()
    }

    /// The rows of the tree that pass the filter; `None` if that is every chunk.
    pub(super) fn select(
        &self,
        conn: &Connection,
        filter: Option<&CompiledFilter>,
    ) -> rusqlite::Result<Option<RowBitmap>> {
        let Some(filter) = filter else { return Ok(self.hidden_rows(conn)?.visible.clone()) };
        let snapshot =
            self.snapshot.at(conn, SnapshotParts { attributes: true, ..SnapshotParts::default() })?;
        Ok(snapshot.attributes().map(|attributes| attributes.select(filter)))
    }

    /// For each query, the `k` nearest vectors of a stage.
    pub(super) fn nearest(
        &self,
        conn: &Connection,
        stage: Stage,
        queries: &[&QueryVector],
        wanted: Wanted<'_>,
    ) -> Result<Vec<TopK>, ReadFailure> {
        check_dimensions(conn, stage, queries)?;
        let snapshot =
            self.snapshot.at(conn, SnapshotParts { codes: Some(stage), ..SnapshotParts::default() })?;
        let shortlists = match snapshot.codes(stage) {
            Some(codes) => codes.scan(queries, wanted),
            None => vectors::scan_table(conn, stage, queries, wanted)?,
        };
        let source = source(conn, stage, &snapshot)?;
        let best = shortlists.into_iter().map(|shortlist| {
            let query = shortlist.query;
            shortlist.best(wanted.k, |rows| snapshot.exact().similarities(source, query, rows))
        });
        Ok(best.collect::<rusqlite::Result<_>>()?)
    }

    /// For each row, the similarity of its vector; `None` if it has none.
    pub(super) fn similarities(
        &self,
        conn: &Connection,
        stage: Stage,
        query: &QueryVector,
        rows: &[ChunkRow],
    ) -> Result<Vec<Option<f32>>, ReadFailure> {
        check_dimensions(conn, stage, &[query])?;
        let snapshot = self.snapshot.at(conn, SnapshotParts::default())?;
        Ok(snapshot.exact().similarities(source(conn, stage, &snapshot)?, query, rows)?)
    }

    /// In the order of `rows`; deleted rows are left out.
    pub(super) fn load_facts(
        &self,
        conn: &Connection,
        rows: &[ChunkRow],
    ) -> rusqlite::Result<Vec<Arc<ChunkFacts>>> {
        load(&self.facts, conn, rows)
    }

    /// Like [`Self::load_facts`], with texts.
    pub(super) fn load_chunks(
        &self,
        conn: &Connection,
        rows: &[ChunkRow],
    ) -> rusqlite::Result<Vec<Arc<StoredChunk>>> {
        load(&self.chunks, conn, rows)
    }
}

fn load<C: Cached + Loaded>(
    cache: &ChunkCache<C>,
    conn: &Connection,
    rows: &[ChunkRow],
) -> rusqlite::Result<Vec<Arc<C>>> {
    let seq = change_log::last(conn)?;
    let mut found = cache.get(seq, rows);
    let loaded = chunks::load_missing(conn, rows, &mut found)?;
    cache.keep(seq, &loaded);
    Ok(found.into_iter().flatten().collect())
}

/// Rejects a query with the wrong number of dimensions, which could not be compared with anything.
fn check_dimensions(conn: &Connection, stage: Stage, queries: &[&QueryVector]) -> Result<(), ReadFailure> {
    let expected = meta::dimensions(conn, stage)?;
    match queries.iter().map(|query| query.dimensions()).find(|found| *found != expected) {
        Some(found) => Err(ReadFailure::Refused(StoreError::wrong_dimensions(expected, found))),
        None => Ok(()),
    }
}

fn source<'c>(conn: &'c Connection, stage: Stage, snapshot: &Snapshot) -> rusqlite::Result<VectorSource<'c>> {
    Ok(VectorSource { conn, stage, is_current: change_log::last(conn)? == snapshot.seq() })
}
