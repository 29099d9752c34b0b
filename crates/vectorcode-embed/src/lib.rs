//! Text in, vectors out.
//!
//! One trait, [`Embedder`]; one file per provider. The two bundled models work offline.

mod embedder;
mod error;
mod gemini;
mod http;
mod ollama;
mod onnx;
mod openai;
mod provider;
mod remote;
mod static_model;
mod vector;
mod voyage;

pub use embedder::{Embedder, Embedding, Limits, TextKind, TextRefused};
pub use error::EmbedError;
pub use gemini::gemini;
pub use ollama::ollama;
pub use onnx::OnnxEmbedder;
pub use openai::openai;
pub use provider::provider;
pub use remote::RemoteEmbedder;
pub use static_model::StaticModel;
pub use voyage::voyage;
