//! The one trait behind which every provider stands.

use vectorcode_core::VectorSpace;

use crate::EmbedError;

/// Many models embed what is searched and what is asked differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    Document,
    Query,
}

/// How much a provider takes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Texts in one call of [`Embedder::embed`] that suit it best; more are split by the provider itself.
    pub batch_size: usize,
    /// Calls that may be under way at a time.
    pub concurrency: usize,
    pub max_tokens: usize,
}

/// A single text that the provider will never embed, while others of its batch are fine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct TextRefused {
    pub reason: String,
}

/// One text's outcome.
pub type Embedding = Result<Vec<f32>, TextRefused>;

/// Turns texts into vectors of one [`VectorSpace`]. Blocking; safe to call from several threads.
pub trait Embedder: Send + Sync {
    fn space(&self) -> &VectorSpace;

    fn limits(&self) -> Limits;

    /// Finds out, before any work is done, what would keep the provider from working.
    fn check_ready(&self) -> Result<(), EmbedError>;

    /// One outcome for each text, in order. Every vector has the space's dimensions, only finite values and unit
    /// length; an implementation that cannot promise that returns an error instead.
    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError>;
}
