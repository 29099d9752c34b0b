//! Checks vectors before they are stored: they need the right number of dimensions, finite values and unit length.

use vectorcode_core::VectorSpace;

use crate::EmbedError;

/// Scales `vector` to unit length. Returns false and leaves it unchanged if it has no direction, because its length is zero, NaN
/// or infinite.
pub(crate) fn normalise(vector: &mut [f32]) -> bool {
    let square: f32 = vector.iter().map(|value| value * value).sum();
    let usable = square.is_finite() && square > 0.0;
    if usable {
        let factor = square.sqrt().recip();
        for value in vector {
            *value *= factor;
        }
    }
    usable
}

#[cfg(test)]
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Checks a vector that a model or server returned and scales it to unit length, as [`Embedder`](crate::Embedder) guarantees.
pub(crate) fn checked(space: &VectorSpace, mut vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
    let bad = |problem| Err(EmbedError::BadVectors { space: space.clone(), problem });
    if vector.len() != space.dimensions {
        return bad(format!("a vector has {} dimensions instead of {}", vector.len(), space.dimensions));
    }
    if !vector.iter().all(|value| value.is_finite()) {
        return bad("a vector holds values that are not finite".into());
    }
    if normalise(&mut vector) { Ok(vector) } else { bad("a vector has no direction".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(vector: &[f32]) -> Result<Vec<f32>, String> {
        checked(&VectorSpace::new("openai", "small", 2), vector.to_vec()).map_err(|error| error.to_string())
    }

    #[test]
    fn good_vectors_come_back_at_unit_length() {
        assert_eq!(check(&[3.0, 4.0]).unwrap(), [0.6, 0.8]);
    }

    #[test]
    fn bad_vectors_are_errors_that_name_provider_and_model() {
        for bad in [&[1.0][..], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0], &[0.0, 0.0]] {
            assert!(check(bad).unwrap_err().contains("openai/small"));
        }
    }
}
