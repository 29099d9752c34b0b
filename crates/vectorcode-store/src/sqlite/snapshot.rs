//! An in-memory snapshot of what every search reads: the codes of vectors, recently read vectors, and the attributes that filters
//! need.
//!
//! Each part is loaded when it is first needed, except for codes, which are kept from their second use on: a process that runs a
//! single query reads them once and does not need a copy. The table `changes` numbers the transactions of the writer, whichever
//! process that is. A search first compares the latest number with that of its snapshot, then refreshes the rows that changed, or
//! reloads everything if too many did.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rusqlite::Connection;
use vectorcode_core::api::Coverage;

use super::hidden_rows::HiddenRows;
use super::vectors::{self, ExactVectors};
use super::{change_log, chunk_attributes, chunks, fulltext};
use crate::index::chunk_attributes::ChunkAttributes;
use crate::index::row_bitmap::RowBitmap;
use crate::index::stage::Stage;
use crate::index::vectors::ResidentCodes;

/// Reading this many rows one by one costs about as much as loading a medium-sized index completely.
const MAX_ROWS_TO_REFRESH: usize = 1000;

/// The parts of a snapshot that a search needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SnapshotParts<'h> {
    pub attributes: bool,
    pub codes: Option<Stage>,
    /// Coverage of all chunks except these.
    pub coverage: Option<&'h HiddenRows>,
}

#[derive(Debug, Default)]
pub(crate) struct SnapshotCell(RwLock<Snapshot>);

#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// The transaction as of which this snapshot was read.
    seq: i64,
    attributes: Option<ChunkAttributes>,
    statics: Codes,
    provider: Codes,
    exact: ExactVectors,
    coverage: Option<Coverage>,
    /// The chunks of every tree that wait for a provider vector, kept up to date from the change log. Counting them took 12 ms
    /// after each write while a large project was being embedded.
    pending: Option<RowBitmap>,
    /// How many of the pending chunks are in the tree.
    pending_shown: u64,
}

/// The codes of a stage.
#[derive(Debug, Default)]
enum Codes {
    #[default]
    Unused,
    /// Read from the table once.
    Used,
    Resident(ResidentCodes),
}

impl Codes {
    fn resident(&self) -> Option<&ResidentCodes> {
        match self {
            Self::Resident(codes) => Some(codes),
            Self::Unused | Self::Used => None,
        }
    }
}

impl SnapshotCell {
    /// The snapshot, at least as new as what `conn` sees.
    pub fn at(
        &self,
        conn: &Connection,
        parts: SnapshotParts<'_>,
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

    /// Whether codes are in memory, and there are many of them.
    pub fn is_large(&self) -> bool {
        let snapshot = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Stage::ALL.into_iter().filter_map(|stage| snapshot.codes(stage)).any(ResidentCodes::is_large)
    }

    /// Memory use; 0 while it is being loaded.
    pub fn bytes(&self) -> usize {
        let Ok(snapshot) = self.0.try_read() else { return 0 };
        let codes =
            Stage::ALL.into_iter().filter_map(|stage| snapshot.codes(stage)).map(ResidentCodes::bytes);
        let attributes = snapshot.attributes.as_ref().map_or(0, ChunkAttributes::bytes);
        codes.sum::<usize>() + attributes + snapshot.exact.bytes()
    }

    /// Drops recently read vectors.
    pub fn shrink(&self) {
        if let Ok(snapshot) = self.0.try_read() {
            snapshot.exact.clear();
        }
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

    pub fn pending_count(&self) -> u64 {
        self.pending_shown
    }

    /// The transaction as of which it was read.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    pub fn exact(&self) -> &ExactVectors {
        &self.exact
    }

    /// `None` while the codes have to be read from the table.
    pub fn codes(&self, stage: Stage) -> Option<&ResidentCodes> {
        match stage {
            Stage::Static => self.statics.resident(),
            Stage::Provider => self.provider.resident(),
        }
    }

    fn codes_mut(&mut self, stage: Stage) -> &mut Codes {
        match stage {
            Stage::Static => &mut self.statics,
            Stage::Provider => &mut self.provider,
        }
    }

    fn serves(&self, seq: i64, parts: SnapshotParts<'_>) -> bool {
        self.seq >= seq
            && (!parts.attributes || self.attributes.is_some())
            && (parts.coverage.is_none() || self.coverage.is_some())
            && parts.codes.is_none_or(|stage| self.codes(stage).is_some())
    }

    fn load(&mut self, conn: &Connection, parts: SnapshotParts<'_>) -> rusqlite::Result<()> {
        if parts.attributes && self.attributes.is_none() {
            self.attributes = Some(chunk_attributes::load(conn)?);
        }
        if let Some(hidden) = parts.coverage.filter(|_| self.coverage.is_none()) {
            self.coverage = Some(self.read_coverage(conn, hidden)?);
        }
        if let Some(stage) = parts.codes {
            let codes = self.codes_mut(stage);
            match codes {
                Codes::Unused => *codes = Codes::Used,
                Codes::Used => *codes = Codes::Resident(vectors::load(conn, stage)?),
                Codes::Resident(_) => {}
            }
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

    fn read_coverage(&mut self, conn: &Connection, hidden: &HiddenRows) -> rusqlite::Result<Coverage> {
        let pending = match self.pending.take() {
            Some(pending) => pending,
            None => chunks::pending_rows(conn)?,
        };
        let total = fulltext::documents(conn, hidden)?;
        let shown = pending.iter().filter(|row| hidden.shows(*row)).count() as u64;
        let without = chunks::refused_count(conn, hidden)? + shown;
        self.pending = Some(pending);
        self.pending_shown = shown;
        Ok(Coverage { embedded: total.saturating_sub(without), total })
    }

    fn refresh(&mut self, conn: &Connection, rows: &[i64]) -> rusqlite::Result<()> {
        if let Some(attributes) = &mut self.attributes {
            chunk_attributes::refresh(attributes, conn, rows)?;
        }
        if let Some(pending) = &mut self.pending {
            chunks::refresh_pending(conn, rows, pending)?;
        }
        self.exact.forget(rows);
        for stage in Stage::ALL {
            if let Codes::Resident(codes) = self.codes_mut(stage) {
                vectors::refresh(codes, conn, stage, rows)?;
            }
        }
        Ok(())
    }
}
