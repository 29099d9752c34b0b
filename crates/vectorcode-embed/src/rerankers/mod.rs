//! The registry of rerankers: one module each, and the selection of the configured one.

mod cross_encoder;
mod server;

use std::sync::Arc;

use vectorcode_core::config::{RerankConfig, RerankerName};

use crate::{EmbedError, Reranker};
pub use cross_encoder::CrossEncoder;
pub use server::RerankServer;

/// The configured reranker, if any. No request is sent, but a model file is loaded immediately, so that `doctor` reports an
/// invalid one instead of every search.
pub fn reranker(config: &RerankConfig) -> Result<Option<Arc<dyn Reranker>>, EmbedError> {
    Ok(match config.name {
        RerankerName::None => None,
        RerankerName::Onnx => Some(Arc::new(CrossEncoder::load(&config.onnx)?)),
        RerankerName::Server => Some(Arc::new(RerankServer::new(&config.server)?)),
    })
}

/// Positions by descending score; ties keep their order.
fn best_first(mut scored: Vec<(usize, f32)>) -> Vec<usize> {
    scored.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    scored.into_iter().map(|(position, _)| position).collect()
}
