//! One layer of the transformer: attention, then the feed-forward network, each added to its input and normalised.

use super::attention::{self, Head};
use super::block::{BLOCK_TOKENS, Block};
use super::kernels::Kernels;
use super::linear::{Int8Weights, Linear};
use super::rows::LayerNorm;
use super::{INNER_WIDTH, WIDTH, at_least};

pub(super) struct Layer {
    /// Query, key and value side by side.
    projections: Linear,
    attention_output: Linear,
    attention_norm: LayerNorm,
    inner: Linear,
    output: Linear,
    output_norm: LayerNorm,
}

/// Buffers that are reused for every layer and group.
#[derive(Default)]
pub(super) struct Scratch {
    /// The activations of every token after the last layer that ran.
    pub(super) hidden: Vec<f32>,
    projected: Vec<f32>,
    context: Vec<f32>,
    head: Head,
    block: Block,
}

/// A layer as stored in the model file.
pub(super) struct LayerWeights {
    pub(super) projections: Int8Weights,
    pub(super) attention_output: Int8Weights,
    pub(super) attention_norm: LayerNorm,
    pub(super) inner: Int8Weights,
    pub(super) output: Int8Weights,
    pub(super) output_norm: LayerNorm,
}

impl LayerWeights {
    pub(super) fn load(number: usize) -> Result<Self, String> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let linear = |part: &str, shape| Int8Weights::load(&[name(part)], shape);
        Ok(Self {
            projections: attention::projections(number)?,
            attention_output: linear("attention.output.dense", [WIDTH, WIDTH])?,
            attention_norm: LayerNorm::load(&name("attention.output.LayerNorm"))?,
            inner: linear("intermediate.dense", [WIDTH, INNER_WIDTH])?,
            output: linear("output.dense", [INNER_WIDTH, WIDTH])?,
            output_norm: LayerNorm::load(&name("output.LayerNorm"))?,
        })
    }

    pub(super) fn pack(self, kernels: &Kernels) -> Layer {
        Layer {
            projections: self.projections.pack(kernels),
            attention_output: self.attention_output.pack(kernels),
            attention_norm: self.attention_norm,
            inner: self.inner.pack(kernels),
            output: self.output.pack(kernels),
            output_norm: self.output_norm,
        }
    }
}

impl Layer {
    /// Replaces `scratch.hidden`, which holds sequences of these lengths end to end, with the output of this layer.
    pub(super) fn apply(&self, kernels: &Kernels, lengths: &[usize], scratch: &mut Scratch) {
        let Scratch { hidden, projected, context, head, block } = scratch;
        let projected = at_least(projected, 3 * hidden.len());
        let context = at_least(context, hidden.len());

        let blocks = projected.chunks_mut(3 * BLOCK_TOKENS * WIDTH);
        for (hidden, projected) in hidden.chunks(BLOCK_TOKENS * WIDTH).zip(blocks) {
            block.quantise(kernels, hidden);
            block.multiply(kernels, &self.projections);
            block.dequantise(&self.projections, projected);
        }
        attention::apply(kernels, lengths, projected, head, context);

        let blocks = hidden.chunks_mut(BLOCK_TOKENS * WIDTH);
        for (hidden, context) in blocks.zip(context.chunks(BLOCK_TOKENS * WIDTH)) {
            block.quantise(kernels, context);
            block.multiply(kernels, &self.attention_output);
            block.add_and_normalise(&self.attention_output, &self.attention_norm, hidden);

            block.quantise(kernels, hidden);
            block.multiply(kernels, &self.inner);
            block.gelu(kernels, &self.inner);
            block.multiply(kernels, &self.output);
            block.add_and_normalise(&self.output, &self.output_norm, hidden);
        }
    }
}
