//! The registry of rerankers: one module for each, and which of them a configuration asks for.

mod cross_encoder;
mod server;

use std::sync::Arc;

use vectorcode_core::config::{RerankConfig, RerankerName};

use crate::{EmbedError, Reranker};
pub use cross_encoder::CrossEncoder;
pub use server::RerankServer;

/// The reranker that the settings ask for, if any. No request is sent; a model file is read at once, so that a wrong one
/// is told by `doctor` and not by every search.
pub fn reranker(config: &RerankConfig) -> Result<Option<Arc<dyn Reranker>>, EmbedError> {
    Ok(match config.name {
        RerankerName::None => None,
        RerankerName::Onnx => Some(Arc::new(CrossEncoder::load(&config.onnx)?)),
        RerankerName::Server => Some(Arc::new(RerankServer::new(&config.server)?)),
    })
}

/// Positions by their scores, best first; equal ones stay in their order.
fn best_first(mut scored: Vec<(usize, f32)>) -> Vec<usize> {
    scored.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    scored.into_iter().map(|(position, _)| position).collect()
}
