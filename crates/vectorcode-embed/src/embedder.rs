//! The trait that every provider implements.

use vectorcode_core::VectorSpace;

use crate::EmbedError;

/// Many models embed documents and queries differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    Document,
    Query,
}

/// How much work a provider takes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The best number of texts for one call of [`Embedder::embed`]; the provider splits larger calls itself.
    pub batch_size: usize,
    /// Maximum number of calls at a time.
    pub concurrency: usize,
    pub max_tokens: usize,
}

/// A single text that the provider will never embed, while others of its batch are fine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct TextRefused {
    pub reason: String,
}

/// The result for one text.
pub type Embedding = Result<Vec<f32>, TextRefused>;

/// Turns texts into vectors of one [`VectorSpace`]. Blocking; safe to call from several threads.
pub trait Embedder: Send + Sync {
    fn space(&self) -> &VectorSpace;

    /// May change once the provider is at work.
    fn limits(&self) -> Limits;

    /// Checks, before any work is done, whether the provider can be used.
    fn check_ready(&self) -> Result<(), EmbedError>;

    /// One result for each text, in order. Every vector has the space's dimensions, only finite values and unit
    /// length; an implementation that cannot promise that returns an error instead.
    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError>;
}
