//! The identity of a vector space. Vectors of different spaces cannot be compared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The provider, model and dimensions of a vector.
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

    /// The space of a provider whose model is not known yet. No vector belongs to it.
    pub fn unknown(provider: impl Into<String>) -> Self {
        Self::new(provider, "unknown", 0)
    }
}

impl std::fmt::Display for VectorSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{} ({}d)", self.provider, self.model, self.dimensions)
    }
}
