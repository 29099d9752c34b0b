//! Arithmetic on one row of activations, with the widest SIMD vectors of the processor.
//!
//! The length of a row is a multiple of every processor's vector length, so there is no remainder to handle.

// Only code that is inlined into `SimdOp::dispatch` is compiled for the instruction set that it detects.
#![allow(clippy::inline_always)]

use rten_simd::ops::{BitOps, FloatOps, NarrowSaturate, NumOps, ToFloat};
use rten_simd::{Isa, Simd, SimdOp};

use super::WIDTH;
use super::linear::Linear;
use super::tensors;

const EPSILON: f32 = 1e-12;

/// Scale and zero point of a quantised row: a byte means `(byte - zero) * scale`.
#[derive(Clone, Copy)]
pub(super) struct RowScale {
    pub(super) scale: f32,
    pub(super) zero: u8,
}

/// Layer normalisation: scales rows to mean zero and variance one, then applies a gain and a bias for each column.
pub(super) struct LayerNorm {
    pub(super) gain: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl LayerNorm {
    pub(super) fn load(name: &str) -> Result<Self, String> {
        let part = |part: &str| tensors::floats(&format!("{name}.{part}"), WIDTH);
        Ok(Self { gain: part("g")?, bias: part("b")? })
    }

    pub(super) fn normalise(&self, values: &mut [f32]) {
        Normalise { norm: self, values }.dispatch();
    }

    #[inline(always)]
    pub(super) fn normalise_row<I: Isa>(&self, isa: I, row: &mut [f32]) {
        let ops = isa.f32();
        let step = ops.len();
        let mut sum = ops.zero();
        for part in row.chunks_exact(step) {
            sum = ops.add(sum, ops.load(part));
        }
        let mean = ops.splat(ops.sum(sum) / row.len() as f32);
        let mut squares = ops.zero();
        for part in row.chunks_exact(step) {
            let distance = ops.sub(ops.load(part), mean);
            squares = ops.mul_add(distance, distance, squares);
        }
        let variance = ops.sum(squares) / row.len() as f32;
        let factor = ops.splat((variance + EPSILON).sqrt().recip());
        let columns = self.gain.chunks_exact(step).zip(self.bias.chunks_exact(step));
        for (part, (gain, bias)) in row.chunks_exact_mut(step).zip(columns) {
            let distance = ops.mul(ops.sub(ops.load(part), mean), factor);
            ops.store(ops.mul_add(distance, ops.load(gain), ops.load(bias)), part);
        }
    }
}

struct Normalise<'a> {
    norm: &'a LayerNorm,
    values: &'a mut [f32],
}

impl SimdOp for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        for row in self.values.chunks_exact_mut(WIDTH) {
            self.norm.normalise_row(isa, row);
        }
    }
}

/// Writes `map(value of the product, old value)` for every column of a row. The value of the product is the sum, less the
/// contribution of the zero point of the row, times the scales of row and column, plus the bias.
#[inline(always)]
pub(super) fn map_product<I: Isa>(
    isa: I,
    sums: &[i32],
    row: RowScale,
    linear: &Linear,
    values: &mut [f32],
    map: impl Fn(I::F32, I::F32) -> I::F32,
) {
    let (ops, int_ops) = (isa.f32(), isa.i32());
    let step = ops.len();
    let (row_scale, zero) = (ops.splat(row.scale), int_ops.splat(i32::from(row.zero)));
    let columns = linear.scales.chunks_exact(step).zip(linear.bias.chunks_exact(step));
    let columns = columns.zip(linear.weight_sums.chunks_exact(step));
    let cells = sums.chunks_exact(step).zip(values.chunks_exact_mut(step));
    for ((sums, values), ((scales, bias), weight_sums)) in cells.zip(columns) {
        let from_zero = int_ops.mul(int_ops.load(weight_sums), zero);
        let sum = int_ops.to_float(int_ops.sub(int_ops.load(sums), from_zero));
        let scale = ops.mul(ops.load(scales), row_scale);
        let value = ops.mul_add(sum, scale, ops.load(bias));
        ops.store(map(value, ops.load(values)), values);
    }
}

/// Quantises a row to bytes up to `top`, or one more by rounding.
#[inline(always)]
pub(super) fn quantise_row<I: Isa>(isa: I, values: &[f32], top: u8, bytes: &mut [u8]) -> RowScale {
    let (ops, int_ops) = (isa.f32(), isa.i32());
    let row = row_scale(isa, values, top);
    let (factor, zero) = (ops.splat(row.scale.recip()), int_ops.splat(i32::from(row.zero)));
    let step = isa.u8().len();
    for (values, bytes) in values.chunks_exact(step).zip(bytes.chunks_exact_mut(step)) {
        let [a, b, c, d] = ops.load_many::<4>(values).map(
            #[inline(always)]
            |part| int_ops.add(ops.to_int_round(ops.mul(part, factor)), zero),
        );
        let (low, high) = (int_ops.narrow_saturate(a, b), int_ops.narrow_saturate(c, d));
        isa.u8().store(isa.i16().narrow_saturate(low, high), bytes);
    }
    row
}

/// Scale and zero point as ONNX's `DynamicQuantizeLinear` computes them, for bytes up to `top`.
#[inline(always)]
fn row_scale<I: Isa>(isa: I, values: &[f32], top: u8) -> RowScale {
    let ops = isa.f32();
    let (mut low, mut high) = (ops.zero(), ops.zero());
    for part in values.chunks_exact(ops.len()) {
        let part = ops.load(part);
        (low, high) = (ops.min(low, part), ops.max(high, part));
    }
    let low = low.to_array().into_iter().fold(0.0, f32::min);
    let high = high.to_array().into_iter().fold(0.0, f32::max);
    let scale = (high - low) / f32::from(top);
    if scale > 0.0 {
        RowScale { scale, zero: (-low / scale).round_ties_even() as u8 }
    } else {
        RowScale { scale: 1.0, zero: 0 }
    }
}
