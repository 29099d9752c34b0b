//! A cache of recently loaded chunks. Searches of one project load the same chunks again and again; this cache serves all
//! threads, where SQLite's page caches serve one connection each.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::contract::{ChunkRow, StoredChunk};

/// Memory of all cached chunks together, about.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// What a chunk takes beside its text.
const CHUNK_BYTES: usize = 512;

#[derive(Debug, Default)]
pub(crate) struct ChunkCache(Mutex<Generations>);

/// Chunks of one version of the index. Those that were not used while a whole generation filled up are evicted.
#[derive(Debug, Default)]
struct Generations {
    /// The last transaction that these chunks know.
    seq: i64,
    young: FxHashMap<ChunkRow, Arc<StoredChunk>>,
    young_bytes: usize,
    old: FxHashMap<ChunkRow, Arc<StoredChunk>>,
}

impl ChunkCache {
    /// For each of `rows`, what is known of it after transaction `seq`.
    pub fn get(&self, seq: i64, rows: &[ChunkRow]) -> Vec<Option<Arc<StoredChunk>>> {
        match self.at(seq) {
            Some(mut generations) => rows.iter().map(|row| generations.get(*row)).collect(),
            None => vec![None; rows.len()],
        }
    }

    /// Keeps chunks as they are after transaction `seq`.
    pub fn keep(&self, seq: i64, chunks: &[Arc<StoredChunk>]) {
        if let Some(mut generations) = self.at(seq) {
            for chunk in chunks {
                generations.insert(chunk.clone());
            }
        }
    }

    pub fn forget(&self) {
        *self.lock() = Generations::default();
    }

    /// What is kept, emptied if it is older. `None` for a reader that still sees an older index.
    fn at(&self, seq: i64) -> Option<MutexGuard<'_, Generations>> {
        let mut generations = self.lock();
        if generations.seq < seq {
            *generations = Generations { seq, ..Generations::default() };
        }
        (generations.seq == seq).then_some(generations)
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn get(&mut self, row: ChunkRow) -> Option<Arc<StoredChunk>> {
        if let Some(known) = self.young.get(&row) {
            return Some(known.clone());
        }
        let known = self.old.remove(&row)?;
        self.insert(known.clone());
        Some(known)
    }

    fn insert(&mut self, chunk: Arc<StoredChunk>) {
        let bytes = CHUNK_BYTES + chunk.chunk.content.len();
        if self.young_bytes + bytes > MAX_BYTES / 2 {
            self.old = mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(chunk.row, chunk);
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::{Chunk, ContentClass, FileFlags, Span};

    use super::*;

    fn chunk(row: i64, bytes: usize) -> Arc<StoredChunk> {
        let chunk = Chunk {
            path: "a.rs".into(),
            span: Span { start_line: 1, end_line: 1, byte_start: 0, byte_end: bytes as u32 },
            symbol: None,
            kind: "block".into(),
            content: "x".repeat(bytes),
            parent_context: None,
            language: "rust".into(),
            class: ContentClass::Code,
            is_test: false,
        };
        Arc::new(StoredChunk { row: ChunkRow(row), chunk, flags: FileFlags::default() })
    }

    fn knows(recent: &ChunkCache, seq: i64, row: i64) -> bool {
        recent.get(seq, &[ChunkRow(row)])[0].is_some()
    }

    #[test]
    fn a_chunk_is_known_until_the_index_changes() {
        let recent = ChunkCache::default();
        recent.keep(1, &[chunk(7, 10)]);
        assert!(knows(&recent, 1, 7) && !knows(&recent, 1, 8));
        assert!(!knows(&recent, 2, 7));
        recent.keep(1, &[chunk(7, 10)]);
        assert!(!knows(&recent, 2, 7), "a reader of the older index must not tell those of the newer");
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let recent = ChunkCache::default();
        recent.keep(1, &[chunk(1, 10), chunk(2, 10)]);
        for row in 10..40 {
            recent.keep(1, &[chunk(row, MAX_BYTES / 10)]);
            assert!(knows(&recent, 1, 1));
        }
        assert!(!knows(&recent, 1, 2));
    }
}
