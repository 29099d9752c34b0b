//! The two sets of vectors in an index: those of the bundled static model and those of the configured provider.

use crate::StoreError;
use crate::contract::{IndexSpaces, Result};

/// One of the two sets of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Stage {
    /// The bundled static model.
    Static,
    /// The configured provider.
    Provider,
}

impl Stage {
    pub(crate) const ALL: [Self; 2] = [Self::Static, Self::Provider];

    /// Rejects vectors whose length differs from that of the index.
    pub(crate) fn check_dimensions<'v>(
        self,
        spaces: &IndexSpaces,
        mut vectors: impl Iterator<Item = &'v Vec<f32>>,
    ) -> Result<()> {
        let expected = match self {
            Self::Static => spaces.statics.dimensions,
            Self::Provider => spaces.provider.dimensions,
        };
        match vectors.find(|vector| vector.len() != expected) {
            Some(wrong) => Err(StoreError::wrong_dimensions(expected, wrong.len())),
            None => Ok(()),
        }
    }

    /// The keys of `meta` that name the vector space: provider, model, dimensions.
    pub(crate) fn space_keys(self) -> [&'static str; 3] {
        match self {
            Self::Provider => ["provider", "model", "dimensions"],
            Self::Static => ["static_provider", "static_model", "static_dimensions"],
        }
    }
}
