//! A vector as written, with its code, and as read for an exact comparison.

use vectorcode_core::{prefetch, quantize};

use super::QueryVector;
use super::code::{Code, CodeLayout};

/// A vector in the form in which it is stored.
#[derive(Debug)]
pub(crate) struct EncodedVector {
    pub blob: Vec<u8>,
    pub code: Code,
}

impl EncodedVector {
    pub fn new(vector: &[f32]) -> Self {
        let vector = quantize::to_int8(vector);
        Self { blob: quantize::as_blob(&vector), code: CodeLayout::of(vector.len()).encode(&vector) }
    }
}

/// A vector read from the index.
#[derive(Debug)]
pub(crate) struct StoredVector {
    inverse_norm: f32,
    components: Box<[i8]>,
}

impl StoredVector {
    pub fn new(blob: &[u8]) -> Self {
        let components = quantize::from_blob(blob).into_boxed_slice();
        Self { inverse_norm: quantize::inverse_norm(&components), components }
    }

    pub fn dimensions(&self) -> usize {
        self.components.len()
    }

    /// The vector, normalised to length 1.
    pub fn unit(&self) -> Vec<f32> {
        quantize::to_unit_f32(&self.components)
    }

    pub fn similarity_to(&self, query: &QueryVector) -> f32 {
        query.similarity(&self.components, self.inverse_norm)
    }

    /// Prefetches the vector into the processor's cache for a comparison that follows soon.
    pub fn prefetch(&self) {
        prefetch::load(&self.components);
    }
}
