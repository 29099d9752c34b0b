//! Text in, vectors out.
//!
//! One trait, [`Embedder`], and one file per provider in [`providers`]; [`provider`] makes the one that a configuration
//! asks for. Two models are part of the binary and work offline: [`StaticModel`], a table look-up per word that makes an index
//! searchable within seconds, and the transformer of [`OnnxEmbedder`], the default for stage two.
//!
//! [`Reranker`]s read a query and a text together; [`reranker`] makes the one that a configuration asks for, if any.
//!
//! # Measured
//!
//! One core of an Intel Xeon with AVX-512 VNNI, release build, by processor time because the machine was shared, the
//! best of three runs in turn. `scripts/bench-embed.sh` repeats the comparison by the clock, with one and two
//! threads; `cargo bench -p vectorcode-embed` measures ours alone.
//!
//! | transformer, texts of | 16 tokens | 64 | 128 | 256 |
//! |---|---|---|---|---|
//! | this crate, texts a second | 1638 | 335 | 157 | 69 |
//! | ONNX Runtime 1.31, same file | 1417 | 310 | 135 | 54 |
//!
//! | other | measured |
//! |---|---|
//! | static model, chunks of 800 bytes a second | 156,000 |
//! | one query of 64 tokens | 2.8 ms |
//! | tokenising 800 bytes (244 tokens) | 17 µs |
//! | loading the transformer with its tokeniser | 7 + 6 ms |
//! | cosine to activations that are not rounded | 0.9996 or more (ONNX Runtime: 0.992 to 0.997) |

mod embedder;
mod error;
mod http;
mod onnx;
pub mod providers;
mod remote;
mod reranker;
pub mod rerankers;
mod static_model;
mod vector;

pub use embedder::{Embedder, Embedding, Limits, TextKind, TextRefused};
pub use error::EmbedError;
pub use http::tls::config as tls_config;
pub use onnx::OnnxEmbedder;
pub use providers::provider;
pub use remote::RemoteEmbedder;
pub use reranker::Reranker;
pub use rerankers::reranker;
pub use static_model::StaticModel;

/// The large tables of the bundled models, as they lie in the program. A text needs a few of their rows, and the weights of the
/// transformer are read once, into another form: most of their pages need not stay in memory.
pub fn bundled_files() -> [&'static [u8]; 2] {
    [onnx::BUNDLED_TENSORS, static_model::TABLE]
}
