//! A cache of recently loaded chunks, shared by all threads: searches of one project load the same chunks again and again, and
//! SQLite's page caches serve one connection each.

use std::sync::{Arc, Mutex, MutexGuard};

use vectorcode_core::lock;

use super::generations::Generations;
use crate::contract::{ChunkFacts, ChunkRow, StoredChunk};

/// A form of chunk that can be cached.
pub(crate) trait Cached {
    /// Approximate memory limit of the whole cache.
    const MAX_BYTES: usize;

    fn row(&self) -> ChunkRow;

    /// Approximate memory use of this chunk.
    fn bytes(&self) -> usize;
}

/// A search reads about a thousand of them. All chunks of a project with 20,000 fit into the cache.
impl Cached for ChunkFacts {
    const MAX_BYTES: usize = 6 * 1024 * 1024;

    fn row(&self) -> ChunkRow {
        self.row
    }

    fn bytes(&self) -> usize {
        const BESIDE: usize = 176;
        BESIDE + self.words.as_bytes().len() + self.symbol.as_deref().map_or(0, str::len)
    }
}

/// Texts are read for the hits of a page, and for all candidates if the question quotes code.
impl Cached for StoredChunk {
    const MAX_BYTES: usize = 3 * 1024 * 1024;

    fn row(&self) -> ChunkRow {
        self.row
    }

    fn bytes(&self) -> usize {
        const BESIDE: usize = 512;
        BESIDE + self.chunk.content.len()
    }
}

#[derive(Debug)]
pub(crate) struct ChunkCache<C>(Mutex<CachedChunks<C>>);

/// The cached chunks of one version of the index.
#[derive(Debug)]
struct CachedChunks<C> {
    /// The transaction as of which these chunks were read.
    seq: i64,
    chunks: Generations<ChunkRow, Arc<C>>,
}

impl<C: Cached> CachedChunks<C> {
    fn at(seq: i64) -> Self {
        Self { seq, chunks: Generations::new(C::MAX_BYTES) }
    }
}

impl<C: Cached> Default for ChunkCache<C> {
    fn default() -> Self {
        Self(Mutex::new(CachedChunks::at(0)))
    }
}

impl<C: Cached> ChunkCache<C> {
    /// For each row, the cached chunk as of transaction `seq`.
    pub fn get(&self, seq: i64, rows: &[ChunkRow]) -> Vec<Option<Arc<C>>> {
        match self.at(seq) {
            Some(mut cached) => rows.iter().map(|row| cached.chunks.get(*row).cloned()).collect(),
            None => vec![None; rows.len()],
        }
    }

    /// Caches chunks as of transaction `seq`.
    pub fn keep(&self, seq: i64, chunks: &[Arc<C>]) {
        if let Some(mut cached) = self.at(seq) {
            for chunk in chunks {
                cached.chunks.insert(chunk.row(), chunk.clone(), chunk.bytes());
            }
        }
    }

    /// Memory use; 0 if another thread holds the lock.
    pub fn bytes(&self) -> usize {
        self.0.try_lock().map_or(0, |cached| cached.chunks.bytes())
    }

    pub fn forget(&self) {
        *self.lock() = CachedChunks::at(0);
    }

    /// The cached chunks, emptied if they are older than `seq`. `None` for a reader that still sees an older version.
    fn at(&self, seq: i64) -> Option<MutexGuard<'_, CachedChunks<C>>> {
        let mut cached = self.lock();
        if cached.seq < seq {
            *cached = CachedChunks::at(seq);
        }
        (cached.seq == seq).then_some(cached)
    }

    fn lock(&self) -> MutexGuard<'_, CachedChunks<C>> {
        lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::{Chunk, FileFlags, Span};
    use vectorcode_testkit::small_index;

    use super::*;

    fn chunk(row: i64, bytes: usize) -> Arc<StoredChunk> {
        let span = Span { start_line: 1, end_line: 1, byte_start: 0, byte_end: bytes as u32 };
        let chunk = Chunk { symbol: None, ..small_index::chunk("a.rs", "", &"x".repeat(bytes), span) };
        Arc::new(StoredChunk { row: ChunkRow(row), chunk, flags: FileFlags::default() })
    }

    fn knows(recent: &ChunkCache<StoredChunk>, seq: i64, row: i64) -> bool {
        recent.get(seq, &[ChunkRow(row)])[0].is_some()
    }

    #[test]
    fn a_chunk_is_known_until_the_index_changes() {
        let recent = ChunkCache::default();
        recent.keep(1, &[chunk(7, 10)]);
        assert!(knows(&recent, 1, 7) && !knows(&recent, 1, 8));
        assert!(!knows(&recent, 2, 7));
        recent.keep(1, &[chunk(7, 10)]);
        assert!(!knows(&recent, 2, 7), "a reader of the old version must not fill the cache of the new one");
    }
}
