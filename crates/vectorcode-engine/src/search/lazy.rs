//! Gives the best candidates of stage one their provider vectors: from the index, from the user's cache, or from the
//! embedder.
//!
//! How many candidates get a vector depends neither on the time it takes nor on which vectors already exist, so that
//! the same query gets the same result on a busy machine and when it is repeated. For the same reason, vectors made
//! here go into the cache and not into the index: one search must not change the result of the next.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use vectorcode_core::{CancelToken, quantize};
use vectorcode_embed::{Embedder, TextKind};
use vectorcode_store::{ChunkRow, EmbeddingCache, IndexReader};

use super::candidates::{Candidate, embedding_texts};
use super::probe::{LAZY, TITLE};
use super::ranking::Ranked;
use crate::error::EngineError;

/// Texts per call to the embedder. Small, so that the time is checked often.
const BATCH: usize = 8;

/// Why some of the best candidates have no vector.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LazyError {
    #[error("there was no time to embed the best candidates")]
    NoTime,
    #[error(transparent)]
    Failed(#[from] EngineError),
}

/// How many searches may embed candidates at a time: one for every two cores. More would slow each other down, and
/// also the embedding of the whole project that they make up for. Others wait.
#[derive(Debug)]
pub(crate) struct LazyTurns {
    free: Mutex<usize>,
    given_back: Condvar,
}

impl Default for LazyTurns {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new((cores / 2).max(1))
    }
}

impl LazyTurns {
    fn new(most: usize) -> Self {
        Self { free: Mutex::new(most), given_back: Condvar::new() }
    }

    /// `None` if none was released in time.
    fn take(&self, until: Instant) -> Option<LazyTurn<'_>> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let time = until.saturating_duration_since(Instant::now());
        let (mut free, waited) = self
            .given_back
            .wait_timeout_while(free, time, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() && *free == 0 {
            return None;
        }
        *free -= 1;
        Some(LazyTurn(self))
    }
}

/// Released when dropped.
struct LazyTurn<'t>(&'t LazyTurns);

impl Drop for LazyTurn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.given_back.notify_one();
    }
}

/// Where vectors come from, and the vectors they are compared with.
pub(crate) struct LazyStage<'a> {
    pub reader: &'a dyn IndexReader,
    pub embedder: &'a dyn Embedder,
    pub cache: Option<&'a EmbeddingCache>,
    pub turns: &'a LazyTurns,
    pub query: &'a [f32],
    /// The vector of a report's title.
    pub title: Option<&'a [f32]>,
    /// The stage gives up after this time.
    pub budget: Duration,
    pub cancel: &'a CancelToken,
}

impl LazyStage<'_> {
    /// Sets the similarity of the best of `ranked` that have none. If not all of them can get one, none is set: an
    /// order that depended on how far the stage got would differ the next time.
    pub fn run(&self, pool: &mut [Candidate], ranked: &[Ranked]) -> Result<(), LazyError> {
        let best = ranked.iter().take(LAZY).map(|ranked| ranked.index);
        let wanted: Vec<usize> = best.filter(|index| pool[*index].provider_similarity.is_none()).collect();
        let vectors = self.vectors(pool, &wanted)?;
        let query = quantize::Query::new(self.query);
        let title = self.title.map(quantize::Query::new);
        for (index, vector) in wanted.into_iter().zip(vectors) {
            let Some(vector) = vector else { continue };
            let candidate = &mut pool[index];
            candidate.provider_similarity = Some(cosine(&query, &vector));
            if let (Some(title), Some(scores)) = (&title, candidate.parts.get_mut(TITLE)) {
                scores.provider_similarity = Some(cosine(title, &vector));
            }
        }
        Ok(())
    }

    /// `None` for a text that the provider rejects.
    fn vectors(&self, pool: &[Candidate], wanted: &[usize]) -> Result<Vec<Option<Vec<f32>>>, LazyError> {
        let rows: Vec<ChunkRow> = wanted.iter().map(|index| pool[*index].chunk.row).collect();
        let mut vectors = self.reader.provider_vectors(&rows).map_err(EngineError::from)?;
        let missing: Vec<usize> = (0..wanted.len()).filter(|place| vectors[*place].is_none()).collect();
        if missing.is_empty() {
            return Ok(vectors);
        }
        let indexes: Vec<usize> = missing.iter().map(|place| wanted[*place]).collect();
        let texts = embedding_texts(self.reader, pool, &indexes)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for (place, vector) in missing.into_iter().zip(self.of_texts(&texts)?) {
            vectors[place] = vector;
        }
        Ok(vectors)
    }

    /// Vectors from the cache, or else newly made.
    fn of_texts(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, LazyError> {
        let space = self.embedder.space();
        let mut vectors =
            self.cache.map_or_else(|| vec![None; texts.len()], |cache| cache.get_many(space, texts));
        let missing: Vec<usize> = (0..texts.len()).filter(|place| vectors[*place].is_none()).collect();
        if missing.is_empty() {
            return Ok(vectors);
        }
        let until = Instant::now() + self.budget;
        let _turn = self.turns.take(until).ok_or(LazyError::NoTime)?;
        for batch in missing.chunks(BATCH) {
            if Instant::now() >= until || self.cancel.is_cancelled() {
                return Err(LazyError::NoTime);
            }
            let batch_texts: Vec<&str> = batch.iter().map(|place| texts[*place]).collect();
            let embedded =
                self.embedder.embed(TextKind::Document, &batch_texts).map_err(EngineError::from)?;
            for (place, vector) in batch.iter().zip(embedded) {
                vectors[*place] = vector.ok();
            }
            // Batch by batch, so that a search that gives up leaves less work for the next one.
            if let Some(cache) = self.cache {
                let made =
                    batch.iter().filter_map(|place| Some((texts[*place], vectors[*place].as_deref()?)));
                cache.put_many(space, made);
            }
        }
        Ok(vectors)
    }
}

/// Computed in the same way as the store computes it for vectors in the index.
fn cosine(query: &quantize::Query, vector: &[f32]) -> f32 {
    let vector = quantize::to_int8(vector);
    query.cosine(&vector, quantize::inverse_norm(&vector))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_waits_until_a_turn_is_given_back() {
        let turns = LazyTurns::new(1);
        let soon = || Instant::now() + Duration::from_mins(1);
        let first = turns.take(soon());
        assert!(first.is_some() && turns.take(Instant::now()).is_none());
        std::thread::scope(|scope| {
            let second = scope.spawn(|| turns.take(soon()).is_some());
            drop(first);
            assert!(second.join().unwrap());
        });
        assert!(turns.take(Instant::now()).is_some());
    }
}
