//! The name of a vector space: vectors of different spaces can never be compared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which provider and model made a vector, and how long it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct VectorSpace {
    pub provider: String,
    pub model: String,
    pub dimensions: usize,
}

impl VectorSpace {
    pub fn new(provider: impl Into<String>, model: impl Into<String>, dimensions: usize) -> Self {
        Self { provider: provider.into(), model: model.into(), dimensions }
    }
}

impl std::fmt::Display for VectorSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{} ({}d)", self.provider, self.model, self.dimensions)
    }
}
