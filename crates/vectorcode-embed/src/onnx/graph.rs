//! Runs any BERT-like ONNX file, unchanged, with `rten`.

use std::path::Path;
use std::sync::Arc;

use rten::{Model, NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::wordpiece::TokenPair;

/// A loaded ONNX graph, with the inputs that it has and the one output that is read.
pub(super) struct OnnxGraph {
    model: Model,
    input_ids: NodeId,
    attention_mask: Option<NodeId>,
    token_type_ids: Option<NodeId>,
    output: NodeId,
    threads: Arc<ThreadPool>,
}

impl OnnxGraph {
    /// The output is the first one whose name is in `wanted`, or else the first of all.
    pub(super) fn load(path: &Path, wanted: &[&str], threads: usize) -> Result<Self, String> {
        let model = Model::load_file(path).map_err(|error| error.to_string())?;
        let name = |id: &NodeId| model.node_info(*id).and_then(|node| node.name()).unwrap_or_default();
        let known = ["input_ids", "attention_mask", "token_type_ids"];
        if let Some(other) = model.input_ids().iter().map(name).find(|name| !known.contains(name)) {
            return Err(format!("the graph has an input `{other}`; only {} are supported", known.join(", ")));
        }
        let input = |wanted: &str| model.input_ids().iter().find(|id| name(id) == wanted).copied();
        let outputs = model.output_ids();
        let output = outputs.iter().find(|id| wanted.contains(&name(id))).or(outputs.first());
        Ok(Self {
            input_ids: input("input_ids").ok_or("the graph has no input `input_ids`")?,
            attention_mask: input("attention_mask"),
            token_type_ids: input("token_type_ids"),
            output: *output.ok_or("the graph has no output")?,
            threads: Arc::new(ThreadPool::with_num_threads(threads)),
            model,
        })
    }

    /// Runs sequences of similar length, padded to the longest one.
    pub(super) fn run(&self, sequences: &[TokenPair]) -> Result<Value, String> {
        let longest = sequences.iter().map(|pair| pair.ids.len()).max().unwrap_or(0);
        let shape = [sequences.len(), longest];
        let token = |row: usize, column: usize| sequences[row].ids.get(column).copied();
        let ids = NdTensor::<i32, 2>::from_fn(shape, |[row, column]| token(row, column).unwrap_or(0) as i32);
        let mask =
            NdTensor::<i32, 2>::from_fn(shape, |[row, column]| i32::from(token(row, column).is_some()));
        let is_second =
            |row: usize, column: usize| (sequences[row].second..sequences[row].ids.len()).contains(&column);
        let types = NdTensor::<i32, 2>::from_fn(shape, |[row, column]| i32::from(is_second(row, column)));
        let mut inputs: Vec<(NodeId, ValueOrView<'_>)> = vec![(self.input_ids, ids.view().into())];
        inputs.extend(self.attention_mask.map(|id| (id, mask.view().into())));
        inputs.extend(self.token_type_ids.map(|id| (id, types.view().into())));

        let mut options = RunOptions::default();
        options.thread_pool = Some(self.threads.clone());
        let run = self.model.run_n(inputs, [self.output], Some(options));
        let [output] = run.map_err(|error| format!("the graph does not run: {error}"))?;
        Ok(output)
    }
}
