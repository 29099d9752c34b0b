//! Exact comparisons with stored vectors. A search compares some thousand of them; recently read ones are cached.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::{prefetch, quantize};

use crate::contract::ChunkRow;
use crate::index::generations::Generations;
use crate::index::stage::Stage;
use crate::index::vectors::{QueryVector, StoredVector};
use crate::sqlite::error::corrupt;

/// Memory limit of the cache. It holds all vectors of a project of 20,000 chunks, or those that most queries of a larger project
/// have in common.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The memory that a vector takes in addition to its components.
const VECTOR_BYTES: usize = 72;

/// A cache of recently read vectors.
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
    /// Whether the connection sees the same state as the cache: what an older transaction reads must not be cached.
    pub is_current: bool,
}

impl ExactVectors {
    /// For each row, the similarity of its vector; `None` if it has none.
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

    /// Memory use; 0 if the cache is locked for writing.
    pub fn bytes(&self) -> usize {
        self.0.try_read().map_or(0, |cache| cache.bytes())
    }

    pub fn clear(&self) {
        self.write().clear();
    }

    /// Drops rows that were written.
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

/// The similarity of each vector; `None` for missing ones.
fn compared(query: &QueryVector, vectors: &[Option<&StoredVector>]) -> Vec<Option<f32>> {
    let mut similarities = Vec::with_capacity(vectors.len());
    for together in vectors.chunks(prefetch::PREFETCH_COUNT) {
        together.iter().flatten().for_each(|vector| vector.prefetch());
        similarities.extend(together.iter().map(|vector| vector.map(|vector| vector.similarity_to(query))));
    }
    similarities
}

/// The vectors of `rows`, normalised to length 1; `None` for a row without a vector.
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

/// Most chunks have their vector under their own id; the statement stops there if it finds one.
fn select_sql(stage: Stage) -> String {
    match stage {
        Stage::Static => "SELECT embedding FROM vec_static WHERE id = ?1
             UNION ALL SELECT embedding FROM chunk_rows AS c JOIN vec_static AS v ON v.id = c.body
                 WHERE c.id = ?1 AND c.body <> c.id"
            .into(),
        Stage::Provider => "SELECT embedding FROM vec_provider WHERE id = ?1".into(),
    }
}
