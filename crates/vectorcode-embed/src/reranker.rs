//! The trait of models that read a query and a text together and say how well they fit.

use std::time::Instant;

use crate::EmbedError;

/// Puts texts into a better order for one query, as a cross-encoder does. Blocking; safe to call from several threads.
///
/// None is bundled: those that were trained for it gained 0.006 NDCG@10 over stage one for half a second a query, and
/// nearly nothing over both stages. Those who have a strong one name it in `[rerank]`.
pub trait Reranker: Send + Sync {
    /// The texts' positions, best first. `texts` come in the order in which they would be shown without a reranker;
    /// those that the answer leaves out follow in that order. An implementation that cannot answer before the deadline
    /// returns an error at the deadline, not an answer after it.
    fn rerank(&self, query: &str, texts: &[&str], deadline: Instant) -> Result<Vec<usize>, EmbedError>;
}
