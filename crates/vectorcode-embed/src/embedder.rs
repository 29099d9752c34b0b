//! The trait that every provider implements.

use vectorcode_core::VectorSpace;

use crate::EmbedError;

/// What a text is: many models embed documents and queries differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    Document,
    Query,
}

/// How much work a provider accepts at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The best number of texts for one call of [`Embedder::embed`]; the provider splits larger calls itself.
    pub batch_size: usize,
    /// Maximum number of concurrent calls of [`Embedder::embed`].
    pub concurrency: usize,
    /// Maximum number of tokens of one text.
    pub max_tokens: usize,
}

/// A text that the provider will never embed. The other texts of its batch are not affected.
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

    /// May change while the provider is in use, so indexing calls it again for each window of chunks.
    fn limits(&self) -> Limits;

    /// Checks, before any work is done, whether the provider can be used.
    fn check_ready(&self) -> Result<(), EmbedError>;

    /// One result for each text, in order. Every vector has the dimensions of the space, only finite values, and unit length; an
    /// implementation that cannot guarantee this returns an error.
    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError>;
}
