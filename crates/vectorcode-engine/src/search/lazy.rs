//! Embeds candidates during a search: the best ones that have no provider vector yet get theirs, within a time budget.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use vectorcode_core::CancelToken;
use vectorcode_embed::{Embedder, TextKind};
use vectorcode_store::{ChunkRow, IndexReader};

use super::candidates::{Candidate, embedding_texts};
use super::probe::TITLE;
use super::ranking::Ranked;

/// Texts in one call. Small, so that the budget is checked often.
const BATCH: usize = 8;

/// Vectors that a search made and that the index does not have yet.
pub(crate) type NewVectors = Vec<(ChunkRow, Vec<f32>)>;

/// How many searches embed candidates at a time: one for every two cores. More would slow each other down, and with them the
/// embedding of the whole project that they make up for; who finds no turn is answered without.
#[derive(Debug)]
pub(crate) struct LazyTurns {
    taken: AtomicUsize,
    most: usize,
}

impl Default for LazyTurns {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { taken: AtomicUsize::new(0), most: (cores / 2).max(1) }
    }
}

impl LazyTurns {
    pub fn take(&self) -> Option<LazyTurn<'_>> {
        let turn = LazyTurn(self);
        // A turn too many is given back at once.
        (self.taken.fetch_add(1, Ordering::Relaxed) < self.most).then_some(turn)
    }
}

/// Given back when dropped.
pub(crate) struct LazyTurn<'t>(&'t LazyTurns);

impl Drop for LazyTurn<'_> {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The embedder, the query's vector and how long the work may take.
pub(crate) struct LazyStage<'a> {
    pub reader: &'a dyn IndexReader,
    pub embedder: &'a dyn Embedder,
    pub query: &'a [f32],
    /// The vector of a report's title.
    pub title: Option<&'a [f32]>,
    pub budget: Duration,
    /// How long embedding the query took: the first estimate of what a call costs.
    pub call: Duration,
    pub cancel: &'a CancelToken,
}

impl LazyStage<'_> {
    /// Embeds candidates in the order of `ranked` and sets their similarity. Stops with what it has when the next batch
    /// would exceed the budget or the provider fails.
    pub fn run(&self, pool: &mut [Candidate], ranked: &[Ranked]) -> NewVectors {
        let started = Instant::now();
        let missing: Vec<usize> = ranked
            .iter()
            .map(|ranked| ranked.index)
            .filter(|index| pool[*index].provider_similarity.is_none())
            .collect();
        let mut vectors = NewVectors::new();
        let mut call = self.call;
        for batch in missing.chunks(BATCH) {
            let before = started.elapsed();
            if before + call > self.budget || self.cancel.is_cancelled() {
                break;
            }
            if !self.embed(pool, batch, &mut vectors) {
                break;
            }
            call = started.elapsed().saturating_sub(before);
        }
        vectors
    }

    /// False when the provider failed.
    fn embed(&self, pool: &mut [Candidate], batch: &[usize], vectors: &mut NewVectors) -> bool {
        let outcomes = embedding_texts(self.reader, pool, batch).and_then(|texts| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            Ok(self.embedder.embed(TextKind::Document, &texts)?)
        });
        let outcomes = match outcomes {
            Ok(outcomes) => outcomes,
            Err(error) => {
                tracing::debug!(%error, "candidates were not embedded");
                return false;
            }
        };
        for (index, outcome) in batch.iter().zip(outcomes) {
            if let Ok(vector) = outcome {
                pool[*index].provider_similarity = Some(dot(self.query, &vector));
                if let (Some(title), Some(scores)) = (self.title, pool[*index].parts.get_mut(TITLE)) {
                    scores.provider_similarity = Some(dot(title, &vector));
                }
                vectors.push((pool[*index].chunk.row, vector));
            }
        }
        true
    }
}

/// The cosine of two vectors of unit length.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_turns_as_are_given_back() {
        let turns = LazyTurns { most: 2, ..LazyTurns::default() };
        let (one, two) = (turns.take(), turns.take());
        assert!(one.is_some() && two.is_some() && turns.take().is_none() && turns.take().is_none());
        drop(one);
        assert!(turns.take().is_some());
    }
}
