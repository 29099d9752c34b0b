//! A query, in the forms that are compared with vectors and with their codes.

use vectorcode_core::quantize;

use super::plane_tables::PlaneTables;

#[derive(Debug)]
pub(crate) struct QueryVector {
    exact: quantize::Query,
    pub(super) planes: PlaneTables,
}

impl QueryVector {
    pub fn new(vector: &[f32]) -> Self {
        let exact = quantize::Query::new(vector);
        let planes = PlaneTables::new(exact.values(), exact.inverse_norm());
        Self { exact, planes }
    }

    pub fn dimensions(&self) -> usize {
        self.exact.values().len()
    }

    /// The exact cosine similarity to a vector; `inverse_norm` is the vector's.
    pub(crate) fn similarity(&self, vector: &[i8], inverse_norm: f32) -> f32 {
        self.exact.cosine(vector, inverse_norm)
    }
}
