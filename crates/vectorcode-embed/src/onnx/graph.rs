//! Any BERT-like ONNX file, run as it is by `rten`.

use std::path::Path;
use std::sync::Arc;

use rten::{Model, NodeId, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};
use vectorcode_core::config::Pooling;

use super::Encoder;

/// Padded tokens in one run: enough to keep every thread busy, few enough to stay in the caches.
const TOKENS_PER_RUN: usize = 2048;

/// A model file with the names that its graph must have.
pub(super) struct Graph {
    model: Model,
    input_ids: NodeId,
    attention_mask: Option<NodeId>,
    token_type_ids: Option<NodeId>,
    hidden_state: NodeId,
    pooling: Pooling,
    threads: Arc<ThreadPool>,
}

impl Graph {
    pub(super) fn load(path: &Path, pooling: Pooling, threads: usize) -> Result<Self, String> {
        let model = Model::load_file(path).map_err(|error| error.to_string())?;
        Self::new(model, pooling, threads)
    }

    fn new(model: Model, pooling: Pooling, threads: usize) -> Result<Self, String> {
        let name = |id: &NodeId| model.node_info(*id).and_then(|node| node.name()).unwrap_or_default();
        let known = ["input_ids", "attention_mask", "token_type_ids"];
        if let Some(other) = model.input_ids().iter().map(name).find(|name| !known.contains(name)) {
            return Err(format!("the graph wants an input `{other}`; only {} are known", known.join(", ")));
        }
        let input = |wanted: &str| model.input_ids().iter().find(|id| name(id) == wanted).copied();
        let outputs = model.output_ids();
        let named = ["last_hidden_state", "token_embeddings"];
        let hidden_state = outputs.iter().find(|id| named.contains(&name(id))).or(outputs.first());
        Ok(Self {
            input_ids: input("input_ids").ok_or("the graph has no input `input_ids`")?,
            attention_mask: input("attention_mask"),
            token_type_ids: input("token_type_ids"),
            hidden_state: *hidden_state.ok_or("the graph has no output")?,
            pooling,
            threads: Arc::new(ThreadPool::with_num_threads(threads)),
            model,
        })
    }

    /// One vector for each of `sequences`, which are of similar length.
    fn run(&self, sequences: &[&[u32]]) -> Result<Vec<Vec<f32>>, String> {
        let longest = sequences.iter().map(|ids| ids.len()).max().unwrap_or(0);
        let shape = [sequences.len(), longest];
        let token = |row: usize, column: usize| sequences[row].get(column).copied();
        let ids = NdTensor::<i32, 2>::from_fn(shape, |[row, column]| token(row, column).unwrap_or(0) as i32);
        let mask =
            NdTensor::<i32, 2>::from_fn(shape, |[row, column]| i32::from(token(row, column).is_some()));
        let mut inputs: Vec<(NodeId, ValueOrView<'_>)> = vec![(self.input_ids, ids.view().into())];
        inputs.extend(self.attention_mask.map(|id| (id, mask.view().into())));
        let types = NdTensor::<i32, 2>::zeros(shape);
        inputs.extend(self.token_type_ids.map(|id| (id, types.view().into())));

        let mut options = RunOptions::default();
        options.thread_pool = Some(self.threads.clone());
        let [output] = self
            .model
            .run_n(inputs, [self.hidden_state], Some(options))
            .map_err(|error| format!("the graph does not run: {error}"))?;
        let hidden: NdTensor<f32, 3> = output
            .try_into()
            .map_err(|_| "the graph's output must be floats of batch x sequence x dimensions".to_string())?;
        Ok(sequences.iter().enumerate().map(|(row, ids)| self.pool(hidden.slice(row), ids.len())).collect())
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

impl Encoder for Graph {
    fn encode(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, String> {
        let mut by_length: Vec<usize> = (0..sequences.len()).collect();
        by_length.sort_by_key(|index| sequences[*index].len());
        let mut vectors = vec![Vec::new(); sequences.len()];
        let mut rest = &by_length[..];
        while !rest.is_empty() {
            let fits = |count: &usize| sequences[rest[*count - 1]].len() * count <= TOKENS_PER_RUN;
            let count = (1..=rest.len()).take_while(fits).last().unwrap_or(1);
            let (group, others) = rest.split_at(count);
            let ids: Vec<&[u32]> = group.iter().map(|index| &sequences[*index][..]).collect();
            for (index, vector) in group.iter().zip(self.run(&ids)?) {
                vectors[*index] = vector;
            }
            rest = others;
        }
        Ok(vectors)
    }
}
