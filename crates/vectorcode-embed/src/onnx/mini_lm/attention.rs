//! Self-attention: every token attends to all tokens of its own sequence, in twelve heads.

use rten_simd::SimdOp;
use rten_tensor::NdTensorView;
use rten_vecmath::Softmax;

use super::kernels::Kernels;
use super::linear::Int8Weights;
use super::{WIDTH, at_least};

pub(super) const HEADS: usize = 12;
const HEAD_WIDTH: usize = WIDTH / HEADS;
/// Width of query, key and value of one token together.
const PROJECTED: usize = 3 * WIDTH;

/// Buffers for one head of one sequence.
#[derive(Default)]
pub(super) struct Head {
    scores: Vec<f32>,
    context: Vec<f32>,
}

/// The weights that project the tokens of a layer to queries, keys and values. Attention divides scores by the square root of the
/// width of a head; dividing the weights of the queries once has the same effect.
pub(super) fn projections(layer: usize) -> Result<Int8Weights, String> {
    let names = ["query", "key", "value"].map(|part| format!("encoder.layer.{layer}.attention.self.{part}"));
    let mut projections = Int8Weights::load(&names, [WIDTH, WIDTH])?;
    let factor = (HEAD_WIDTH as f32).sqrt().recip();
    let queries = projections.scales[..WIDTH].iter_mut().chain(&mut projections.bias[..WIDTH]);
    queries.for_each(|value| *value *= factor);
    Ok(projections)
}

/// Writes one row of `context` for each row of `projected`, which holds sequences of these lengths end to end.
pub(super) fn apply(
    kernels: &Kernels,
    lengths: &[usize],
    projected: &[f32],
    head: &mut Head,
    context: &mut [f32],
) {
    let (mut projected, mut context) = (projected, context);
    for length in lengths {
        let (own, other) = projected.split_at(length * PROJECTED);
        let (own_context, other_context) = context.split_at_mut(length * WIDTH);
        apply_sequence(kernels, own, *length, head, own_context);
        (projected, context) = (other, other_context);
    }
}

fn apply_sequence(kernels: &Kernels, projected: &[f32], length: usize, head: &mut Head, context: &mut [f32]) {
    let projected = NdTensorView::from_data([length, PROJECTED], projected);
    let Head { scores, context: head_context } = head;
    let scores = at_least(scores, length * length);
    let head_context = at_least(head_context, length * HEAD_WIDTH);
    for start in (0..WIDTH).step_by(HEAD_WIDTH) {
        let part = |at: usize| projected.slice((.., at..at + HEAD_WIDTH));
        let [query, key, value] = [start, WIDTH + start, 2 * WIDTH + start].map(part);
        kernels.multiply(query, key.transposed(), scores);
        for row in scores.chunks_exact_mut(length) {
            Softmax::new_mut(row).dispatch();
        }
        kernels.multiply(NdTensorView::from_data([length, length], &scores[..]), value, head_context);
        for (row, part) in context.chunks_exact_mut(WIDTH).zip(head_context.chunks_exact(HEAD_WIDTH)) {
            row[start..start + HEAD_WIDTH].copy_from_slice(part);
        }
    }
}
