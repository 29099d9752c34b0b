//! Text in, vectors out.
//!
//! One trait, [`Embedder`]; one file per provider. The two bundled models work offline.

mod embedder;
mod error;
mod vector;

pub use embedder::{Embedder, Embedding, Limits, TextKind, TextRefused};
pub use error::EmbedError;
