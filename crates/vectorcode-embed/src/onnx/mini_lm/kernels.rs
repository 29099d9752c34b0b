//! The matrix products of `rten-gemm`, with the shapes and types that a layer needs.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;

/// The kernels that suit this processor. They are cheap to make and cannot leave their thread.
#[derive(Default)]
pub(super) struct Kernels {
    int8: GemmExecutor<u8, i8, i32>,
    float: GemmExecutor<f32, f32, f32>,
}

impl Kernels {
    pub(super) fn pack(&self, weights: NdTensorView<'_, i8, 2>) -> PackedBMatrix<i8> {
        self.int8.prepack_b(weights)
    }

    /// The highest byte that activations may have. Processors without the newer dot product instructions add two
    /// products in sixteen bits, which overflow unless one factor keeps to seven bits.
    pub(super) fn highest_byte(&self) -> u8 {
        if self.int8.may_saturate() { 127 } else { 255 }
    }

    /// Writes `count x outputs` sums of bytes times weights. What the zeros of the rows add to them is left in: the
    /// kernels of `rten-gemm` 0.27 take the zeros of the first rows for those of all.
    pub(super) fn multiply_bytes(
        &self,
        bytes: NdTensorView<'_, u8, 2>,
        weights: &PackedBMatrix<i8>,
        sums: &mut [i32],
    ) {
        let (bytes, weights) = (GemmInputA::Unpacked(bytes), GemmInputB::Packed(weights));
        self.int8
            .gemm(sums, bytes, weights, GemmOptions::default())
            .expect("the shapes of a layer follow from each other");
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
