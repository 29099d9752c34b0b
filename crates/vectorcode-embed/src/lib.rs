//! Turns text into vectors, and reranks texts for a query.
//!
//! Every provider implements the trait [`Embedder`] and has its own file in [`providers`]; [`provider`] creates the configured
//! one. Two models are part of the binary and work offline: [`StaticModel`], which looks up a vector for each word and makes an
//! index searchable within seconds, and the transformer of [`OnnxEmbedder`], the default for stage two.
//!
//! A [`Reranker`] reads a query and a text together; [`reranker`] creates the configured one, if any.
//!
//! # Speed
//!
//! Measured on one core of an Intel Xeon with AVX-512 VNNI, in a release build: the best of three interleaved runs, in CPU time
//! because the machine was shared. `scripts/bench-embed.sh` repeats the comparison in wall-clock time, with one and two threads;
//! `cargo bench -p vectorcode-embed` measures this crate alone.
//!
//! | transformer, by length of the texts | 16 tokens | 64 | 128 | 256 |
//! |---|---|---|---|---|
//! | this crate, texts per second | 1638 | 335 | 157 | 69 |
//! | ONNX Runtime 1.31, same model file | 1417 | 310 | 135 | 54 |
//!
//! | other | measured |
//! |---|---|
//! | static model, chunks of 800 bytes per second | 156,000 |
//! | one query of 64 tokens | 2.8 ms |
//! | tokenising 800 bytes (244 tokens) | 17 µs |
//! | loading the transformer with its tokeniser | 7 + 6 ms |
//! | cosine to the vectors of unrounded activations | 0.9996 or more (ONNX Runtime: 0.992 to 0.997) |

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

/// The large tables of the bundled models, which are part of the executable. Embedding a text reads a few of their rows, and the
/// weights of the transformer are read only once, to pack them for the kernels. So most of these pages need not stay in memory.
pub fn bundled_files() -> [&'static [u8]; 2] {
    [onnx::BUNDLED_TENSORS, static_model::TABLE]
}
