//! Vectors with 8 bits a component: the largest is 127, and the scale is dropped, because only directions are compared. The
//! index keeps vectors in the same way, so that nothing is lost on the way.

pub(crate) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    let factor = if largest > 0.0 && largest.is_finite() { 127.0 / largest } else { 0.0 };
    vector.iter().map(|x| ((x * factor).round() as i8).cast_unsigned()).collect()
}

/// A vector of length 1; `None` for one without a direction.
pub(crate) fn to_vector(bytes: &[u8]) -> Option<Vec<f32>> {
    let components: Vec<f32> = bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect();
    let norm = components.iter().map(|x| x * x).sum::<f32>().sqrt();
    (norm > 0.0).then(|| components.iter().map(|x| x / norm).collect())
}
