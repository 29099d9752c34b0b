//! Runs a block of tokens through the dense layers. A product multiplies bytes with weights and yields integers, which become
//! floats, or bytes for the next product. A block is small enough to stay in the L2 cache.

// Only code that is inlined into `SimdOp::dispatch` is compiled for the instruction set that it detects.
#![allow(clippy::inline_always)]

use rten_simd::ops::NumOps;
use rten_simd::{Isa, SimdOp};

use super::gelu::gelu;
use super::kernels::Kernels;
use super::linear::Linear;
use super::rows::{LayerNorm, RowScale, map_product, quantise_row};
use super::{INNER_WIDTH, WIDTH, at_least};

pub(super) const BLOCK_TOKENS: usize = 64;

/// Buffers for one block, reused for every block.
#[derive(Default)]
pub(super) struct Block {
    /// The input of the next product: `rows.len()` times its width.
    bytes: Vec<u8>,
    rows: Vec<RowScale>,
    /// The output of the last product.
    sums: Vec<i32>,
    /// One row of the widest layer.
    row: Vec<f32>,
}

impl Block {
    /// Quantises rows of `WIDTH` values, at most [`BLOCK_TOKENS`], as the input of the next product.
    pub(super) fn quantise(&mut self, kernels: &Kernels, values: &[f32]) {
        self.make_room(values.len() / WIDTH);
        Quantise { values, top: kernels.highest_byte(), block: self }.dispatch();
    }

    /// Allocates for the widest layer, but only for this number of tokens: a query has a dozen, and clearing memory for 64 took a
    /// hundredth of its time.
    fn make_room(&mut self, tokens: usize) {
        self.rows.clear();
        at_least(&mut self.bytes, tokens * INNER_WIDTH);
        at_least(&mut self.sums, tokens * INNER_WIDTH);
        at_least(&mut self.row, INNER_WIDTH);
    }

    /// Multiplies the input with the weights of `linear`.
    pub(super) fn multiply(&mut self, kernels: &Kernels, linear: &Linear) {
        let count = self.rows.len();
        let bytes = &self.bytes[..count * linear.inputs];
        let sums = &mut self.sums[..count * linear.scales.len()];
        kernels.multiply_bytes(bytes, linear.inputs, &linear.weights, sums);
    }

    /// Writes the product with `linear` to `values`, as floats.
    pub(super) fn dequantise(&self, linear: &Linear, values: &mut [f32]) {
        Dequantise { block: self, linear, values }.dispatch();
    }

    /// Adds the product with `linear` to `values` and normalises the rows.
    pub(super) fn add_and_normalise(&self, linear: &Linear, norm: &LayerNorm, values: &mut [f32]) {
        AddAndNormalise { block: self, linear, norm, values }.dispatch();
    }

    /// Applies GELU to the product with `linear` and quantises the result, as the input of the next product.
    pub(super) fn gelu(&mut self, kernels: &Kernels, linear: &Linear) {
        GeluAndQuantise { block: self, linear, top: kernels.highest_byte() }.dispatch();
    }
}

struct Quantise<'a> {
    values: &'a [f32],
    top: u8,
    block: &'a mut Block,
}

impl SimdOp for Quantise<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let bytes = self.block.bytes.chunks_exact_mut(WIDTH);
        for (values, bytes) in self.values.chunks_exact(WIDTH).zip(bytes) {
            self.block.rows.push(quantise_row(isa, values, self.top, bytes));
        }
    }
}

struct Dequantise<'a> {
    block: &'a Block,
    linear: &'a Linear,
    values: &'a mut [f32],
}

impl SimdOp for Dequantise<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let width = self.linear.scales.len();
        let rows = self.block.sums.chunks_exact(width).zip(&self.block.rows);
        for ((sums, row), values) in rows.zip(self.values.chunks_exact_mut(width)) {
            map_product(
                isa,
                sums,
                *row,
                self.linear,
                values,
                #[inline(always)]
                |value, _| value,
            );
        }
    }
}

struct AddAndNormalise<'a> {
    block: &'a Block,
    linear: &'a Linear,
    norm: &'a LayerNorm,
    values: &'a mut [f32],
}

impl SimdOp for AddAndNormalise<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let rows = self.block.sums.chunks_exact(WIDTH).zip(&self.block.rows);
        for ((sums, row), values) in rows.zip(self.values.chunks_exact_mut(WIDTH)) {
            map_product(
                isa,
                sums,
                *row,
                self.linear,
                values,
                #[inline(always)]
                |value, old| isa.f32().add(value, old),
            );
            self.norm.normalise_row(isa, values);
        }
    }
}

struct GeluAndQuantise<'a> {
    block: &'a mut Block,
    linear: &'a Linear,
    top: u8,
}

impl SimdOp for GeluAndQuantise<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Block { bytes, rows, sums, row: values } = self.block;
        let cells = sums.chunks_exact(INNER_WIDTH).zip(bytes.chunks_exact_mut(INNER_WIDTH));
        for ((sums, bytes), row) in cells.zip(rows) {
            map_product(
                isa,
                sums,
                *row,
                self.linear,
                values,
                #[inline(always)]
                |value, _| gelu(isa, value),
            );
            *row = quantise_row(isa, values, self.top, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(row: RowScale, byte: u8) -> f32 {
        (f32::from(byte) - f32::from(row.zero)) * row.scale
    }

    fn quantised(values: &[f32], top: u8) -> Block {
        let mut block = Block::default();
        block.make_room(values.len() / WIDTH);
        Quantise { values, top, block: &mut block }.dispatch();
        block
    }

    #[test]
    fn bytes_stand_for_their_values_on_processors_of_either_kind() {
        let values: Vec<f32> =
            (0..2 * WIDTH).map(|n| (n as f32 * 0.7).sin() * (1 + n / WIDTH) as f32).collect();
        for top in [127, 255] {
            let block = quantised(&values, top);
            let rows = values.chunks_exact(WIDTH).zip(block.bytes.chunks_exact(WIDTH));
            for ((values, bytes), row) in rows.zip(&block.rows) {
                let error = |(exact, byte): (&f32, &u8)| (exact - value(*row, *byte)).abs() / row.scale;
                let worst = values.iter().zip(bytes).map(error).fold(0.0, f32::max);
                assert!(worst <= 1.0, "{worst}");
                assert!(bytes.iter().all(|byte| *byte <= top.saturating_add(1)));
            }
        }
    }

    #[test]
    fn a_row_of_zeros_stays_one() {
        let block = quantised(&[0.0; WIDTH], 255);
        assert!(block.bytes[..WIDTH].iter().all(|byte| value(block.rows[0], *byte) == 0.0));
    }
}
