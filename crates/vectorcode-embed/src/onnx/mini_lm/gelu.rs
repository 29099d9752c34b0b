//! GELU, the activation between the two dense layers of the feed-forward network: a value times the fraction of the standard
//! normal distribution that lies below it.

// Only code that is inlined into `SimdOp::dispatch` is compiled for the instruction set that it detects.
#![allow(clippy::inline_always)]

use rten_simd::Isa;
use rten_simd::ops::{BitOps, NumOps};

/// The fraction of the distribution between zero and `x`, divided by `x`, as a polynomial in the square of `x`: highest power
/// first, chosen to minimise the largest error of GELU up to `BOUND`.
const COEFFICIENTS: [f32; 8] = [
    -1.301_152_9e-9,
    1.041_878_05e-7,
    -3.656_939_7e-6,
    7.485_271_6e-5,
    -0.001_006_475_1,
    0.009_505_345,
    -0.065_887_76,
    0.398_673_36,
];

/// Above this value, 0.00003 of the distribution is left.
const BOUND: f32 = 4.0;

/// Approximates GELU. The error is below 0.0001 between -4 and 4 and 0.0004 at -8, less than the rounding to bytes that follows.
/// Computing the error function with an exponential and a division takes twice as long.
#[inline(always)]
pub(super) fn gelu<I: Isa>(isa: I, x: I::F32) -> I::F32 {
    let ops = isa.f32();
    let near = ops.min(ops.max(x, ops.splat(-BOUND)), ops.splat(BOUND));
    let square = ops.mul(near, near);
    let mut quotient = ops.splat(COEFFICIENTS[0]);
    for coefficient in &COEFFICIENTS[1..] {
        quotient = ops.mul_add(quotient, square, ops.splat(*coefficient));
    }
    ops.mul(x, ops.mul_add(near, quotient, ops.splat(0.5)))
}

#[cfg(test)]
mod tests {
    use rten_simd::ops::FloatOps;
    use rten_simd::{Simd, SimdOp, SimdUnaryOp};
    use rten_vecmath::Gelu;

    use super::*;

    /// The largest distance from the exact function at the given values.
    struct WorstError<'a>(&'a [f32]);

    impl SimdOp for WorstError<'_> {
        type Output = f32;

        #[inline(always)]
        fn eval<I: Isa>(self, isa: I) -> f32 {
            let ops = isa.f32();
            let errors = self.0.chunks_exact(ops.len()).flat_map(|values| {
                let values = ops.load(values);
                let error = ops.abs(ops.sub(gelu(isa, values), Gelu {}.eval(isa, values)));
                error.to_array().into_iter().collect::<Vec<_>>()
            });
            errors.fold(0.0, f32::max)
        }
    }

    #[test]
    fn is_near_the_exact_function() {
        let values = |range: f32| (0..4096).map(|n| (n as f32 / 2048.0 - 1.0) * range).collect::<Vec<_>>();
        assert!(WorstError(&values(4.0)).dispatch() < 1e-4);
        assert!(WorstError(&values(8.0)).dispatch() < 4e-4);
    }
}
