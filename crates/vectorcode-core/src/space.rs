//! The identity of a vector space. Only vectors of the same space can be compared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The provider, the model and the number of dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct VectorSpace {
    pub provider: String,
    pub model: String,
    pub dimensions: usize,
}

/// Identifies a vector by its space and the exact text that it was computed from: the first half of their `blake3` hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextKey(pub [u8; TextKey::BYTES]);

impl TextKey {
    pub const BYTES: usize = 16;
}

impl VectorSpace {
    pub fn new(provider: impl Into<String>, model: impl Into<String>, dimensions: usize) -> Self {
        Self { provider: provider.into(), model: model.into(), dimensions }
    }

    /// The key of this text's vector in this space.
    pub fn text_key(&self, text: &str) -> TextKey {
        let mut hasher = blake3::Hasher::new();
        for part in [&self.provider, &self.model, &self.dimensions.to_string()] {
            hasher.update(part.as_bytes()).update(b"\0");
        }
        let hash = hasher.update(text.as_bytes()).finalize();
        TextKey(hash.as_bytes().first_chunk().copied().unwrap_or_default())
    }

    /// The space of a provider whose model is not known yet. It contains no vectors.
    pub fn unknown(provider: impl Into<String>) -> Self {
        Self::new(provider, "unknown", 0)
    }
}

impl std::fmt::Display for VectorSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{} ({}d)", self.provider, self.model, self.dimensions)
    }
}
