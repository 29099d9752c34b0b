//! Text in, vectors out.
//!
//! One trait, [`Embedder`]; one file per provider. The two bundled models work offline.

mod embedder;
mod error;
mod static_model;
mod vector;

pub use embedder::{Embedder, Embedding, Limits, TextKind, TextRefused};
pub use error::EmbedError;
pub use static_model::StaticModel;
