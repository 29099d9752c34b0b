//! The trait for models that read a query and a text together and score how well the text answers the query.

use std::time::Instant;

use crate::EmbedError;

/// Reorders texts for one query, as a cross-encoder does. Blocking; safe to call from several threads.
///
/// No reranker is bundled: the ones that were trained for it gained 0.006 NDCG@10 over stage one at half a second per query, and
/// almost nothing over both stages. Users who have a stronger one configure it in `[rerank]`.
pub trait Reranker: Send + Sync {
    /// Returns indices into `texts`, best first. `texts` are in the order in which they would be shown without a reranker; texts
    /// that the result omits follow in that order. An implementation that cannot finish by the deadline returns an error at the
    /// deadline instead of a late result.
    fn rerank(&self, query: &str, texts: &[&str], deadline: Instant) -> Result<Vec<usize>, EmbedError>;
}
