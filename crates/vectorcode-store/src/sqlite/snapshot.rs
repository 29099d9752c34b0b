//! A snapshot in memory of what every search reads: vectors and the attributes that filters ask for.
//!
//! Each part is loaded when it is first needed. The table `changes` numbers the transactions of the writer, in whatever
//! process that is: a search first compares that number with its snapshot's, and then refreshes the rows that changed,
//! or loads everything again when too many did.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rusqlite::Connection;
use vectorcode_core::api::Coverage;

use super::change_log;
use super::chunk_attributes::ChunkAttributes;
use super::stage::Stage;
use super::vectors::{self, VectorMatrix};

/// Reading this many rows one by one costs about as much as loading a medium-sized index whole.
const MAX_ROWS_TO_REFRESH: usize = 1000;

/// What a search will look at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SnapshotParts {
    pub attributes: bool,
    pub vectors: Option<Stage>,
    pub coverage: bool,
}

#[derive(Debug, Default)]
pub(crate) struct SnapshotCell(RwLock<Snapshot>);

#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// The last transaction that this snapshot knows.
    seq: i64,
    attributes: Option<ChunkAttributes>,
    statics: Option<VectorMatrix>,
    provider: Option<VectorMatrix>,
    coverage: Option<Coverage>,
}

impl SnapshotCell {
    /// The snapshot, at least as new as what `conn` sees.
    pub fn at(
        &self,
        conn: &Connection,
        parts: SnapshotParts,
    ) -> rusqlite::Result<RwLockReadGuard<'_, Snapshot>> {
        let seq = change_log::last(conn)?;
        let snapshot = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if snapshot.serves(seq, parts) {
            return Ok(snapshot);
        }
        drop(snapshot);
        let mut snapshot = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !snapshot.serves(seq, parts) {
            snapshot.catch_up(conn, seq)?;
            snapshot.load(conn, parts)?;
        }
        Ok(RwLockWriteGuard::downgrade(snapshot))
    }

    pub fn forget(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Snapshot::default();
    }
}

impl Snapshot {
    pub fn attributes(&self) -> Option<&ChunkAttributes> {
        self.attributes.as_ref()
    }

    pub fn coverage(&self) -> Option<Coverage> {
        self.coverage
    }

    pub fn vectors(&self, stage: Stage) -> Option<&VectorMatrix> {
        match stage {
            Stage::Static => self.statics.as_ref(),
            Stage::Provider => self.provider.as_ref(),
        }
    }

    fn slot(&mut self, stage: Stage) -> &mut Option<VectorMatrix> {
        match stage {
            Stage::Static => &mut self.statics,
            Stage::Provider => &mut self.provider,
        }
    }

    fn serves(&self, seq: i64, parts: SnapshotParts) -> bool {
        self.seq >= seq
            && (!parts.attributes || self.attributes.is_some())
            && (!parts.coverage || self.coverage.is_some())
            && parts.vectors.is_none_or(|stage| self.vectors(stage).is_some())
    }

    fn load(&mut self, conn: &Connection, parts: SnapshotParts) -> rusqlite::Result<()> {
        if parts.attributes && self.attributes.is_none() {
            self.attributes = Some(ChunkAttributes::load(conn)?);
        }
        if parts.coverage && self.coverage.is_none() {
            self.coverage = Some(read_coverage(conn)?);
        }
        if let Some(stage) = parts.vectors
            && self.vectors(stage).is_none()
        {
            *self.slot(stage) = Some(vectors::load(conn, stage)?);
        }
        Ok(())
    }

    fn catch_up(&mut self, conn: &Connection, seq: i64) -> rusqlite::Result<()> {
        match change_log::touched_since(conn, self.seq)? {
            Some(rows) if rows.len() <= MAX_ROWS_TO_REFRESH => self.refresh(conn, &rows)?,
            _ => *self = Self::default(),
        }
        self.seq = self.seq.max(seq);
        self.coverage = None;
        Ok(())
    }

    fn refresh(&mut self, conn: &Connection, rows: &[i64]) -> rusqlite::Result<()> {
        if let Some(attributes) = &mut self.attributes {
            attributes.refresh(conn, rows)?;
        }
        for stage in [Stage::Static, Stage::Provider] {
            if let Some(matrix) = self.slot(stage) {
                vectors::refresh(matrix, conn, stage, rows)?;
            }
        }
        Ok(())
    }
}

pub(crate) fn read_coverage(conn: &Connection) -> rusqlite::Result<Coverage> {
    let count = |sql: &str| conn.prepare_cached(sql)?.query_row([], |row| row.get::<_, u64>(0));
    let total = count("SELECT count(*) FROM chunks")?;
    let refused = count("SELECT count(*) FROM refused")?;
    let waiting = count("SELECT count(*) FROM chunks WHERE pending IS NOT NULL")?;
    Ok(Coverage { embedded: total.saturating_sub(refused + waiting), total })
}
