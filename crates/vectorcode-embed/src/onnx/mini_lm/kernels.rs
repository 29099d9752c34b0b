//! The matrix products of a layer: those of `rten-gemm`, or our own for bytes where the processor has instructions that
//! `rten-gemm` does not use.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;

use super::panels::{self, PanelWeights};

/// The kernels for this processor. They are cheap to create and cannot be sent to other threads.
#[derive(Default)]
pub(super) struct Kernels {
    int8: GemmExecutor<u8, i8, i32>,
    float: GemmExecutor<f32, f32, f32>,
}

/// Weights in the order in which the fastest kernel of this processor reads them.
pub(super) enum PackedWeights {
    Panels(PanelWeights),
    Plain(PackedBMatrix<i8>),
}

impl Kernels {
    /// Packs weights of `inputs x outputs`.
    pub(super) fn pack(&self, weights: &[i8], shape: [usize; 2]) -> PackedWeights {
        match PanelWeights::pack(weights, shape) {
            Some(weights) => PackedWeights::Panels(weights),
            None => PackedWeights::Plain(self.int8.prepack_b(NdTensorView::from_data(shape, weights))),
        }
    }

    /// The largest byte that activations may have. Processors without the newer dot-product instructions add two products in 16
    /// bits, which overflow unless one factor is limited to 7 bits.
    pub(super) fn highest_byte(&self) -> u8 {
        if self.int8.may_saturate() && !panels::is_supported() { 127 } else { 255 }
    }

    /// Multiplies each row of `inputs` bytes with the weights and writes a row of sums. The contribution of the zero points is
    /// left in them, and `map_product` subtracts it: the kernels of `rten-gemm` 0.27 use the zero points of the first rows for
    /// all rows.
    pub(super) fn multiply_bytes(
        &self,
        bytes: &[u8],
        inputs: usize,
        weights: &PackedWeights,
        sums: &mut [i32],
    ) {
        match weights {
            PackedWeights::Panels(weights) => weights.multiply(bytes, sums),
            PackedWeights::Plain(weights) => {
                let bytes = NdTensorView::from_data([bytes.len() / inputs, inputs], bytes);
                let (bytes, weights) = (GemmInputA::Unpacked(bytes), GemmInputB::Packed(weights));
                self.int8
                    .gemm(sums, bytes, weights, GemmOptions::default())
                    .expect("the shapes of a layer follow from each other");
            }
        }
    }

    pub(super) fn multiply(
        &self,
        left: NdTensorView<'_, f32, 2>,
        right: NdTensorView<'_, f32, 2>,
        product: &mut [f32],
    ) {
        let (left, right) = (GemmInputA::Unpacked(left), GemmInputB::Unpacked(right));
        self.float
            .gemm(product, left, right, GemmOptions::default())
            .expect("the shapes of a head follow from the sequence's length");
    }
}
