//! The encoder for the user's own models: pools the vectors of a text's tokens into one.

use std::path::Path;

use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};
use vectorcode_core::config::Pooling;

use super::Encoder;
use super::graph::OnnxGraph;
use super::wordpiece::TokenPair;

/// Maximum number of tokens in one run, padding included: enough to keep every thread busy, few enough to stay in the caches.
const TOKENS_PER_RUN: usize = 2048;

/// A graph that outputs a vector for each token.
pub(super) struct PoolingEncoder {
    graph: OnnxGraph,
    pooling: Pooling,
}

impl PoolingEncoder {
    pub(super) fn load(path: &Path, pooling: Pooling, threads: usize) -> Result<Self, String> {
        let graph = OnnxGraph::load(path, &["last_hidden_state", "token_embeddings"], threads)?;
        Ok(Self { graph, pooling })
    }

    /// One vector for each of `sequences`, which are of similar length.
    fn run(&self, sequences: &[TokenPair]) -> Result<Vec<Vec<f32>>, String> {
        let hidden: NdTensor<f32, 3> =
            self.graph.run(sequences)?.try_into().map_err(|_| {
                "the graph's output must be floats of batch x sequence x dimensions".to_string()
            })?;
        let pooled = |(row, pair): (usize, &TokenPair)| self.pool(hidden.slice(row), pair.ids.len());
        Ok(sequences.iter().enumerate().map(pooled).collect())
    }

    fn pool(&self, tokens: NdTensorView<'_, f32, 2>, length: usize) -> Vec<f32> {
        match self.pooling {
            Pooling::Cls => tokens.slice(0).to_vec(),
            Pooling::Mean => {
                let mut sum = vec![0.0; tokens.size(1)];
                for token in 0..length {
                    for (sum, value) in sum.iter_mut().zip(tokens.slice(token).iter()) {
                        *sum += value / length as f32;
                    }
                }
                sum
            }
        }
    }
}

impl Encoder for PoolingEncoder {
    fn encode(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, String> {
        let mut by_length: Vec<usize> = (0..sequences.len()).collect();
        by_length.sort_by_key(|index| sequences[*index].len());
        let mut vectors = vec![Vec::new(); sequences.len()];
        let mut rest = &by_length[..];
        while !rest.is_empty() {
            let fits = |count: &usize| sequences[rest[*count - 1]].len() * count <= TOKENS_PER_RUN;
            let count = (1..=rest.len()).take_while(fits).last().unwrap_or(1);
            let (group, others) = rest.split_at(count);
            let alone: Vec<TokenPair> =
                group.iter().map(|index| TokenPair::alone(sequences[*index].clone())).collect();
            for (index, vector) in group.iter().zip(self.run(&alone)?) {
                vectors[*index] = vector;
            }
            rest = others;
        }
        Ok(vectors)
    }
}
