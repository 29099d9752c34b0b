//! A dense layer with int8 weights.

use super::kernels::{Kernels, PackedWeights};
use super::tensors;

/// Weights of `inputs x outputs` as stored in the model file, with the scale and bias of each output.
pub(super) struct Int8Weights {
    pub(super) inputs: usize,
    pub(super) weights: Vec<i8>,
    pub(super) scales: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

/// A dense layer with its weights packed for the kernel.
pub(super) struct Linear {
    pub(super) inputs: usize,
    pub(super) weights: PackedWeights,
    /// The sum of the weights of each output, needed to subtract the zero point of the input.
    pub(super) weight_sums: Vec<i32>,
    pub(super) scales: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl Int8Weights {
    /// The layers with these names, each of `inputs x outputs`, side by side as one layer.
    pub(super) fn load(names: &[String], [inputs, outputs]: [usize; 2]) -> Result<Self, String> {
        let (mut scales, mut bias) = (Vec::new(), Vec::new());
        let mut weights = vec![0; inputs * outputs * names.len()];
        for (number, name) in names.iter().enumerate() {
            scales.extend(tensors::floats(&format!("{name}.w_scale"), outputs)?);
            bias.extend(tensors::floats(&format!("{name}.b"), outputs)?);
            let bytes = tensors::sized_bytes(&format!("{name}.w_quantized"), inputs * outputs)?;
            let rows = weights.chunks_exact_mut(outputs * names.len());
            for (row, bytes) in rows.zip(bytes.chunks_exact(outputs)) {
                for (weight, byte) in row[number * outputs..].iter_mut().zip(bytes) {
                    *weight = byte.cast_signed();
                }
            }
        }
        Ok(Self { inputs, weights, scales, bias })
    }

    pub(super) fn pack(self, kernels: &Kernels) -> Linear {
        let Self { inputs, weights, scales, bias } = self;
        let weight_sums = column_sums(&weights, scales.len());
        let weights = kernels.pack(&weights, [inputs, scales.len()]);
        Linear { inputs, weights, weight_sums, scales, bias }
    }
}

fn column_sums(matrix: &[i8], columns: usize) -> Vec<i32> {
    let mut sums = vec![0; columns];
    for row in matrix.chunks_exact(columns) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += i32::from(*value);
        }
    }
    sums
}
