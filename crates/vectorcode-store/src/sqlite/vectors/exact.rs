//! Exact comparisons with stored vectors. Searches compare some thousand of them; those that were read lately are in memory.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::{quantize, read_ahead};

use crate::contract::ChunkRow;
use crate::index::generations::Generations;
use crate::index::stage::Stage;
use crate::index::vectors::{QueryVector, StoredVector};
use crate::sqlite::error::corrupt;

/// Memory of all vectors that are kept. All of a project of 20,000 chunks fit, and what the questions about a larger one
/// have in common.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// What a vector takes beside its components.
const VECTOR_BYTES: usize = 72;

/// Vectors that were read lately.
#[derive(Debug)]
pub(crate) struct ExactVectors(RwLock<KnownVectors>);

type KnownVectors = Generations<(Stage, ChunkRow), StoredVector>;

impl Default for ExactVectors {
    fn default() -> Self {
        Self(RwLock::new(Generations::new(MAX_BYTES)))
    }
}

/// Where vectors are read from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VectorSource<'c> {
    pub conn: &'c Connection,
    pub stage: Stage,
    /// Whether the connection sees what the cache knows: what an older transaction reads must not get into it.
    pub is_current: bool,
}

impl ExactVectors {
    /// For each of `rows`: how near it is in direction; `None` where it has no vector.
    pub fn similarities(
        &self,
        source: VectorSource<'_>,
        query: &QueryVector,
        rows: &[ChunkRow],
    ) -> rusqlite::Result<Vec<Option<f32>>> {
        let mut similarities = self.known(source.stage, query, rows);
        let missing: Vec<usize> = (0..rows.len()).filter(|place| similarities[*place].is_none()).collect();
        let mut read = Vec::with_capacity(missing.len());
        let mut select = source.conn.prepare_cached(&select_sql(source.stage))?;
        for place in missing {
            let vector =
                select.query_row([rows[place].0], |row| Ok(StoredVector::new(row.get_ref(0)?.as_blob()?)));
            let Some(vector) = vector.optional()? else { continue };
            if vector.dimensions() == query.dimensions() {
                similarities[place] = Some(vector.similarity_to(query));
                read.push((rows[place], vector));
            } else if source.is_current {
                return Err(corrupt());
            }
        }
        if source.is_current {
            self.keep(source.stage, read);
        }
        Ok(similarities)
    }

    fn known(&self, stage: Stage, query: &QueryVector, rows: &[ChunkRow]) -> Vec<Option<f32>> {
        let cache = self.read();
        let keys = || rows.iter().map(|row| (stage, *row));
        let vectors: Vec<Option<&StoredVector>> = keys().map(|key| cache.peek(key)).collect();
        let similarities = compared(query, &vectors);
        let old = cache.old_among(keys());
        drop(cache);
        if !old.is_empty() {
            let mut cache = self.write();
            for key in old {
                cache.renew(key);
            }
        }
        similarities
    }

    fn keep(&self, stage: Stage, vectors: Vec<(ChunkRow, StoredVector)>) {
        let mut cache = self.write();
        for (row, vector) in vectors {
            let bytes = VECTOR_BYTES + vector.dimensions();
            cache.insert((stage, row), vector, bytes);
        }
    }

    /// The memory that they take; 0 while somebody else is at them.
    pub fn bytes(&self) -> usize {
        self.0.try_read().map_or(0, |cache| cache.bytes())
    }

    pub fn clear(&self) {
        self.write().clear();
    }

    /// These rows were written.
    pub fn forget(&self, rows: &[i64]) {
        let mut cache = self.write();
        for row in rows {
            cache.remove((Stage::Static, ChunkRow(*row)));
            cache.remove((Stage::Provider, ChunkRow(*row)));
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, KnownVectors> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, KnownVectors> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How near each of `vectors` is; `None` for those that are missing.
fn compared(query: &QueryVector, vectors: &[Option<&StoredVector>]) -> Vec<Option<f32>> {
    let mut similarities = Vec::with_capacity(vectors.len());
    for together in vectors.chunks(read_ahead::TOGETHER) {
        together.iter().flatten().for_each(|vector| vector.read_ahead());
        similarities.extend(together.iter().map(|vector| vector.map(|vector| vector.similarity_to(query))));
    }
    similarities
}

/// The vectors of `rows`, of length 1; `None` for a row that has none.
pub(crate) fn read_vectors(
    conn: &Connection,
    stage: Stage,
    rows: &[ChunkRow],
) -> rusqlite::Result<Vec<Option<Vec<f32>>>> {
    let mut select = conn.prepare_cached(&select_sql(stage))?;
    let unit = |blob: &[u8]| quantize::to_unit_f32(&quantize::from_blob(blob));
    let read =
        |row: &ChunkRow| select.query_row([row.0], |found| Ok(unit(found.get_ref(0)?.as_blob()?))).optional();
    rows.iter().map(read).collect()
}

/// Most chunks have their vector under their own id, and the statement ends where it is there.
fn select_sql(stage: Stage) -> String {
    match stage {
        Stage::Static => "SELECT embedding FROM vec_static WHERE id = ?1
             UNION ALL SELECT embedding FROM chunk_rows AS c JOIN vec_static AS v ON v.id = c.body
                 WHERE c.id = ?1 AND c.body <> c.id"
            .into(),
        Stage::Provider => "SELECT embedding FROM vec_provider WHERE id = ?1".into(),
    }
}
