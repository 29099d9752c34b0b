//! Quantised vectors, one byte per component, as stored in an index and in a bundle. Only directions are compared, so each
//! vector is scaled until its largest component is 127, and the scale is discarded. Quantising the result again changes
//! nothing.

#![expect(
    clippy::inline_always,
    reason = "what is not inlined into a comparison is not compiled for its processor"
)]

/// Quantises a vector to 8 bits per component.
pub fn to_int8(vector: &[f32]) -> Vec<i8> {
    let factor = factor(vector, 127.0);
    vector.iter().map(|x| (x * factor).round() as i8).collect()
}

/// A vector of length 1 with the direction of the quantised one.
pub fn to_unit_f32(bytes: &[i8]) -> Vec<f32> {
    let scale = inverse_norm(bytes);
    bytes.iter().map(|byte| f32::from(*byte) * scale).collect()
}

/// A query vector, prepared for comparison with 8-bit vectors.
#[derive(Clone, Debug)]
pub struct Query {
    values: Vec<i16>,
    inverse_norm: f32,
}

impl Query {
    pub fn new(vector: &[f32]) -> Self {
        let values = to_int16(vector);
        let inverse_norm = inverse_norm_i16(&values);
        Self { values, inverse_norm }
    }

    pub fn values(&self) -> &[i16] {
        &self.values
    }

    pub fn inverse_norm(&self) -> f32 {
        self.inverse_norm
    }

    /// The cosine of the angle between the query and a vector; `inverse_norm` belongs to the vector.
    pub fn cosine(&self, vector: &[i8], inverse_norm: f32) -> f32 {
        let product = pulp::Arch::new().dispatch(Product { vector, query: &self.values });
        product as f32 * inverse_norm * self.inverse_norm
    }
}

/// Compiled for generic processors and for those with AVX2 and AVX-512, which are three and four times as fast.
struct Product<'p> {
    vector: &'p [i8],
    query: &'p [i16],
}

impl pulp::WithSimd for Product<'_> {
    type Output = i32;

    /// Written so that the compiler vectorises it to multiply-and-add instructions.
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> i32 {
        self.vector.iter().zip(self.query).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
    }
}

/// A query has 16 bits per component, or fewer if a sum of products with 8-bit vectors would overflow.
fn to_int16(vector: &[f32]) -> Vec<i16> {
    let limit = (f64::from(i32::MAX) / (127.0 * vector.len().max(1) as f64)).min(f64::from(i16::MAX));
    let factor = factor(vector, limit as f32 * 0.999);
    vector.iter().map(|x| (x * factor).round() as i16).collect()
}

/// The factor that scales the largest component to `target`; 0 for a vector without direction.
fn factor(vector: &[f32], target: f32) -> f32 {
    let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    if largest > 0.0 && largest.is_finite() { target / largest } else { 0.0 }
}

pub fn inverse_norm(bytes: &[i8]) -> f32 {
    let norm = norm(bytes);
    if norm > 0.0 { 1.0 / norm } else { 0.0 }
}

pub fn norm(bytes: &[i8]) -> f32 {
    let square: i32 = bytes.iter().map(|byte| i32::from(*byte) * i32::from(*byte)).sum();
    (square as f32).sqrt()
}

fn inverse_norm_i16(values: &[i16]) -> f32 {
    let square: f64 = values.iter().map(|value| f64::from(*value) * f64::from(*value)).sum();
    if square == 0.0 { 0.0 } else { (1.0 / square.sqrt()) as f32 }
}

/// The stored form: two's complement, one byte per component.
pub fn as_blob(bytes: &[i8]) -> Vec<u8> {
    bytes.iter().map(|byte| byte.cast_unsigned()).collect()
}

pub fn from_blob(blob: &[u8]) -> Vec<i8> {
    blob.iter().map(|byte| byte.cast_signed()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_vector_without_direction_becomes_zeros() {
        assert_eq!(to_int8(&[0.0, 0.0]), [0, 0]);
        assert_eq!(to_int8(&[f32::NAN, 0.0]), [0, 0]);
        assert_eq!(to_int8(&[f32::INFINITY, 1.0]), [0, 0]);
        assert_eq!(to_unit_f32(&[0, 0]), [0.0, 0.0]);
    }

    #[test]
    fn the_widest_query_cannot_overflow_a_sum() {
        let query = to_int16(&vec![1.0; 4096]);
        let sum: i64 = query.iter().map(|q| i64::from(*q) * 127).sum();
        assert!(sum <= i64::from(i32::MAX));
    }

    #[test]
    fn the_same_direction_is_one_and_the_opposite_minus_one() {
        let query = Query::new(&[1.0, 1.0, 0.0, 0.0]);
        let cosine = |vector: &[f32]| {
            let vector = to_int8(vector);
            query.cosine(&vector, inverse_norm(&vector))
        };
        assert!((cosine(&[0.5, 0.5, 0.0, 0.0]) - 1.0).abs() < 1e-4);
        assert!((cosine(&[-9.0, -9.0, 0.0, 0.0]) + 1.0).abs() < 1e-4);
        assert!(cosine(&[0.0; 4]).abs() < 1e-4);
    }

    proptest! {
        #[test]
        fn quantising_twice_is_quantising_once(vector in prop::collection::vec(-1.0_f32..1.0, 1..64)) {
            let once = to_int8(&vector);
            prop_assert_eq!(to_int8(&to_unit_f32(&once)), once);
        }

        #[test]
        fn directions_are_kept(vector in prop::collection::vec(-1.0_f32..1.0, 8..64)) {
            let back = to_unit_f32(&to_int8(&vector));
            let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            let cosine = vector.iter().zip(&back).map(|(a, b)| a * b).sum::<f32>() / norm;
            prop_assert!(norm < 1e-3 || cosine > 0.999);
        }
    }
}
