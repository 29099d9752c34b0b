//! [`ReaderCache`]: what a reader keeps in memory between queries, and the reads that go through it.

use std::sync::{Arc, RwLockReadGuard};

use rusqlite::Connection;
use vectorcode_core::Versioned;
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

/// A snapshot of vectors and attributes; chunks, names and their definitions that were read lately; words of names. All follow the log of
/// changes.
#[derive(Debug, Default)]
pub(super) struct ReaderCache {
    snapshot: SnapshotCell,
    facts: ChunkCache<ChunkFacts>,
    chunks: ChunkCache<StoredChunk>,
    names: KnownNames,
    name_words: Versioned<i64, NameWords>,
    hidden_rows: Versioned<i64, HiddenRows>,
    /// Pages and programs ask for the status of an idle server again and again.
    stats: Versioned<i64, IndexStats>,
}

impl ReaderCache {
    /// The file was replaced: nothing in memory belongs to it.
    pub(super) fn forget(&self) {
        self.snapshot.forget();
        self.facts.forget();
        self.chunks.forget();
        self.names.forget();
        self.name_words.forget();
        self.hidden_rows.forget();
        self.stats.forget();
    }

    /// What `read` counts, once for each change of the index.
    pub(super) fn read_stats(
        &self,
        conn: &Connection,
        read: impl FnOnce(&Connection) -> rusqlite::Result<IndexStats>,
    ) -> rusqlite::Result<IndexStats> {
        Ok(IndexStats::clone(&*self.stats.at(change_log::last(conn)?, || read(conn))?))
    }

    pub(super) fn bytes(&self) -> usize {
        self.snapshot.bytes() + self.facts.bytes() + self.chunks.bytes()
    }

    /// Drops what was read lately.
    pub(super) fn shrink(&self) {
        self.snapshot.shrink();
        self.facts.forget();
        self.chunks.forget();
        self.names.forget();
        self.name_words.forget();
    }

    /// For lookups of definitions.
    pub(super) fn names(&self) -> &KnownNames {
        &self.names
    }

    /// For spellings.
    pub(super) fn name_words(&self, conn: &Connection) -> rusqlite::Result<Arc<NameWords>> {
        self.name_words.at(change_log::last(conn)?, || spelling::read_name_words(conn))
    }

    /// The chunks that do not count. Vectors, which are written many times a minute, change nothing about them.
    pub(super) fn hidden_rows(&self, conn: &Connection) -> rusqlite::Result<Arc<HiddenRows>> {
        self.hidden_rows.at(meta::files_version(conn)?, || HiddenRows::read(conn))
    }

    pub(super) fn coverage(&self, conn: &Connection) -> rusqlite::Result<Coverage> {
        Ok(self.counted(conn)?.coverage().unwrap_or_default())
    }

    /// How many chunks wait for a provider vector.
    pub(super) fn pending_count(&self, conn: &Connection) -> rusqlite::Result<u64> {
        Ok(self.counted(conn)?.pending_count())
    }

    fn counted(&self, conn: &Connection) -> rusqlite::Result<RwLockReadGuard<'_, Snapshot>> {
        let hidden = self.hidden_rows(conn)?;
        self.snapshot.at(conn, SnapshotParts { coverage: Some(&hidden), ..SnapshotParts::default() })
    }

    /// Whether so much is searched, from memory, that a second thread is worth its start.
    pub(super) fn is_large(&self) -> bool {
        self.snapshot.is_large()
    }

    /// The rows of the tree that pass a filter; `None` where that is every chunk.
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

    /// For each of the queries, the `k` vectors of a stage that are nearest in direction.
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

    /// For each of `rows`: how near its vector is in direction; `None` where it has none.
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

    /// In the order of `rows`; rows that are gone are left out.
    pub(super) fn load_facts(
        &self,
        conn: &Connection,
        rows: &[ChunkRow],
    ) -> rusqlite::Result<Vec<Arc<ChunkFacts>>> {
        load(&self.facts, conn, rows)
    }

    /// The same with texts.
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

/// A query of another length would compare nothing with nothing.
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
