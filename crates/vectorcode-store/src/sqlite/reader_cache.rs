//! [`ReaderCache`]: what a reader keeps in memory between queries, and the reads that go through it.

use std::sync::Arc;

use rusqlite::Connection;
use vectorcode_core::api::Coverage;

use super::chunk_attributes::CompiledFilter;
use super::chunk_cache::ChunkCache;
use super::connection::ReadFailure;
use super::row_bitmap::RowBitmap;
use super::snapshot::{SnapshotCell, SnapshotParts};
use super::stage::Stage;
use super::vectors::{QueryVector, VectorMatrix};
use super::{change_log, chunks};
use crate::StoreError;
use crate::contract::{ChunkRow, StoredChunk};

/// A snapshot of vectors and attributes, and chunks that were read lately. Both follow the log of changes.
#[derive(Debug, Default)]
pub(super) struct ReaderCache {
    snapshot: SnapshotCell,
    chunks: ChunkCache,
}

impl ReaderCache {
    /// The file was replaced: nothing in memory belongs to it.
    pub(super) fn forget(&self) {
        self.snapshot.forget();
        self.chunks.forget();
    }

    pub(super) fn coverage(&self, conn: &Connection) -> rusqlite::Result<Coverage> {
        let snapshot =
            self.snapshot.at(conn, SnapshotParts { coverage: true, ..SnapshotParts::default() })?;
        Ok(snapshot.coverage().unwrap_or_default())
    }

    /// The rows that pass a filter; `None` for all.
    pub(super) fn select(
        &self,
        conn: &Connection,
        filter: Option<&CompiledFilter>,
    ) -> rusqlite::Result<Option<RowBitmap>> {
        let Some(filter) = filter else { return Ok(None) };
        let snapshot =
            self.snapshot.at(conn, SnapshotParts { attributes: true, ..SnapshotParts::default() })?;
        Ok(snapshot.attributes().map(|attributes| attributes.select(filter)))
    }

    /// Compares a query with the vectors of a stage. One of another length would compare nothing with nothing.
    pub(super) fn compare<T: Default>(
        &self,
        conn: &Connection,
        stage: Stage,
        vector: &QueryVector,
        compare: impl FnOnce(&VectorMatrix) -> T,
    ) -> Result<T, ReadFailure> {
        let found = vector.dimensions();
        let snapshot =
            self.snapshot.at(conn, SnapshotParts { vectors: Some(stage), ..SnapshotParts::default() })?;
        match snapshot.vectors(stage).map(|matrix| (matrix, matrix.dimensions())) {
            Some((_, expected)) if expected != found => {
                Err(ReadFailure::Refused(StoreError::wrong_dimensions(expected, found)))
            }
            Some((matrix, _)) => Ok(compare(matrix)),
            None => Ok(T::default()),
        }
    }

    /// In the order of `rows`; rows that are gone are left out.
    pub(super) fn load_chunks(
        &self,
        conn: &Connection,
        rows: &[ChunkRow],
    ) -> rusqlite::Result<Vec<Arc<StoredChunk>>> {
        let seq = change_log::last(conn)?;
        let mut found = self.chunks.get(seq, rows);
        let loaded = chunks::load_missing(conn, rows, &mut found)?;
        self.chunks.keep(seq, &loaded);
        Ok(found.into_iter().flatten().collect())
    }
}
