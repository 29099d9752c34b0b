//! Runs a cross-encoder, which gives one score for each pair of texts.

use std::path::Path;

use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};

use super::graph::OnnxGraph;
use super::wordpiece::TokenPair;

/// A graph that outputs one score for each pair, or two logits: "not relevant" and "relevant".
pub(crate) struct PairScorer(OnnxGraph);

impl PairScorer {
    pub(crate) fn load(path: &Path, threads: usize) -> Result<Self, String> {
        let scorer = Self(OnnxGraph::load(path, &["logits", "scores"], threads)?);
        // A trial run shows whether the graph is a cross-encoder at all.
        scorer.score(&[TokenPair { ids: vec![0, 1, 0], second: 2 }])?;
        Ok(scorer)
    }

    pub(crate) fn score(&self, pairs: &[TokenPair]) -> Result<Vec<f32>, String> {
        let wrong = || "the graph's output must be one score, or two logits, for each pair".to_string();
        let logits: NdTensor<f32, 2> = self.0.run(pairs)?.try_into().map_err(|_| wrong())?;
        if logits.size(0) != pairs.len() || !(1..=2).contains(&logits.size(1)) {
            return Err(wrong());
        }
        Ok((0..pairs.len()).map(|row| fit(logits.slice(row))).collect())
    }
}

/// The score itself, or the difference between the second logit and the first.
fn fit(logits: NdTensorView<'_, f32, 1>) -> f32 {
    match logits.size(0) {
        1 => logits[[0]],
        _ => logits[[1]] - logits[[0]],
    }
}
