//! The in-memory copies that searches run on, kept true to the database.
//!
//! Each is loaded when it is first needed. The table `changes` numbers the transactions of the writer, in whatever
//! process that is: a search first compares that number with its copy's, and catches up row by row, or loads all
//! again when too much has happened.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::api::Coverage;

use crate::catalog::Catalog;
use crate::contract::Stage;
use crate::matrix::Matrix;
use crate::{meta, schema};

/// To read this many rows one by one costs about as much as to load a middling index whole.
const MAX_ROWS_TO_FOLLOW: usize = 1000;

/// What a search will look at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Needs {
    pub catalog: bool,
    pub vectors: Option<Stage>,
    pub coverage: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Live(RwLock<Copies>);

#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// The last transaction that these copies know.
    seq: i64,
    catalog: Option<Catalog>,
    statics: Option<Matrix>,
    provider: Option<Matrix>,
    coverage: Option<Coverage>,
}

impl Live {
    /// The copies, at least as new as what `conn` sees.
    pub fn at(&self, conn: &Connection, needs: Needs) -> rusqlite::Result<RwLockReadGuard<'_, Copies>> {
        let seq = last_change(conn)?;
        let copies = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if copies.serves(seq, needs) {
            return Ok(copies);
        }
        drop(copies);
        let mut copies = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !copies.serves(seq, needs) {
            copies.catch_up(conn, seq)?;
            copies.load(conn, needs)?;
        }
        Ok(RwLockWriteGuard::downgrade(copies))
    }

    pub fn forget(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Copies::default();
    }
}

impl Copies {
    pub fn catalog(&self) -> Option<&Catalog> {
        self.catalog.as_ref()
    }

    pub fn coverage(&self) -> Option<Coverage> {
        self.coverage
    }

    pub fn vectors(&self, stage: Stage) -> Option<&Matrix> {
        match stage {
            Stage::Static => self.statics.as_ref(),
            Stage::Provider => self.provider.as_ref(),
        }
    }

    fn slot(&mut self, stage: Stage) -> &mut Option<Matrix> {
        match stage {
            Stage::Static => &mut self.statics,
            Stage::Provider => &mut self.provider,
        }
    }

    fn serves(&self, seq: i64, needs: Needs) -> bool {
        self.seq >= seq
            && (!needs.catalog || self.catalog.is_some())
            && (!needs.coverage || self.coverage.is_some())
            && needs.vectors.is_none_or(|stage| self.vectors(stage).is_some())
    }

    fn load(&mut self, conn: &Connection, needs: Needs) -> rusqlite::Result<()> {
        if needs.catalog && self.catalog.is_none() {
            self.catalog = Some(Catalog::load(conn)?);
        }
        if needs.coverage && self.coverage.is_none() {
            self.coverage = Some(read_coverage(conn)?);
        }
        if let Some(stage) = needs.vectors
            && self.vectors(stage).is_none()
        {
            *self.slot(stage) = Some(load_matrix(conn, stage)?);
        }
        Ok(())
    }

    fn catch_up(&mut self, conn: &Connection, seq: i64) -> rusqlite::Result<()> {
        match touched_since(conn, self.seq)? {
            Some(rows) => self.refresh(conn, &rows)?,
            None => *self = Self::default(),
        }
        self.seq = self.seq.max(seq);
        self.coverage = None;
        Ok(())
    }

    fn refresh(&mut self, conn: &Connection, rows: &[i64]) -> rusqlite::Result<()> {
        if let Some(catalog) = &mut self.catalog {
            catalog.refresh(conn, rows)?;
        }
        for stage in [Stage::Static, Stage::Provider] {
            if let Some(matrix) = self.slot(stage) {
                refresh_matrix(matrix, conn, stage, rows)?;
            }
        }
        Ok(())
    }
}

/// The number of the last transaction.
pub(crate) fn last_change(conn: &Connection) -> rusqlite::Result<i64> {
    conn.prepare_cached("SELECT max(seq) FROM changes")?.query_row([], |row| row.get(0))
}

pub(crate) fn read_coverage(conn: &Connection) -> rusqlite::Result<Coverage> {
    let count = |sql: &str| conn.prepare_cached(sql)?.query_row([], |row| row.get::<_, u64>(0));
    let total = count("SELECT count(*) FROM chunks")?;
    let refused = count("SELECT count(*) FROM refused")?;
    let waiting = count("SELECT count(*) FROM chunks WHERE pending IS NOT NULL")?;
    Ok(Coverage { embedded: total.saturating_sub(refused + waiting), total })
}

/// The rows that were touched after transaction `seq`; `None` when the log does not tell, or tells too much.
fn touched_since(conn: &Connection, seq: i64) -> rusqlite::Result<Option<Vec<i64>>> {
    let mut log = conn.prepare_cached("SELECT seq, rows FROM changes WHERE seq > ? ORDER BY seq")?;
    let mut entries = log.query([seq])?;
    let (mut touched, mut expected) = (Vec::new(), seq + 1);
    while let Some(entry) = entries.next()? {
        let rows: Option<Vec<u8>> = entry.get(1)?;
        match rows {
            Some(rows) if entry.get::<_, i64>(0)? == expected => touched.extend(schema::changed_rows(&rows)),
            _ => return Ok(None),
        }
        expected += 1;
    }
    touched.sort_unstable();
    touched.dedup();
    Ok((touched.len() <= MAX_ROWS_TO_FOLLOW).then_some(touched))
}

fn refresh_matrix(
    matrix: &mut Matrix,
    conn: &Connection,
    stage: Stage,
    rows: &[i64],
) -> rusqlite::Result<()> {
    let mut select =
        conn.prepare_cached(&format!("SELECT embedding FROM {} WHERE rowid = ?", stage.table()))?;
    for row in rows {
        let vector: Option<Vec<u8>> = select.query_row([row], |found| found.get(0)).optional()?;
        match vector {
            Some(vector) => matrix.insert(*row, &vector),
            None => matrix.remove(*row),
        }
    }
    Ok(())
}

/// Reads the blocks in which `vec0` keeps its vectors, many times faster than asking it for one row after another.
fn load_matrix(conn: &Connection, stage: Stage) -> rusqlite::Result<Matrix> {
    let table = stage.table();
    let dimensions = meta::dimensions(conn, stage)?;
    let count: usize =
        conn.query_row(&format!("SELECT count(*) FROM {table}_rowids"), [], |row| row.get(0))?;
    let mut matrix = Matrix::with_capacity(dimensions, count);
    let mut blocks = conn.prepare_cached(&format!(
        "SELECT block.validity, block.rowids, stored.vectors
         FROM {table}_chunks AS block JOIN {table}_vector_chunks00 AS stored ON stored.rowid = block.chunk_id
         ORDER BY block.chunk_id"
    ))?;
    let mut found = blocks.query([])?;
    while let Some(block) = found.next()? {
        let [validity, rowids, vectors] =
            [block.get_ref(0)?.as_blob()?, block.get_ref(1)?.as_blob()?, block.get_ref(2)?.as_blob()?];
        let rows = rowids.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes));
        for (place, (row, vector)) in rows.zip(vectors.chunks_exact(dimensions)).enumerate() {
            if validity[place / 8] >> (place % 8) & 1 == 1 {
                matrix.insert(row, vector);
            }
        }
    }
    Ok(matrix)
}
