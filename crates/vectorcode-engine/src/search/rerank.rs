//! The reranking step, which may reorder the best candidates before files are diversified.

use std::time::{Duration, Instant};

use vectorcode_core::config::RerankConfig;
use vectorcode_embed::{EmbedError, Reranker};
use vectorcode_store::IndexReader;

use super::candidates::{Candidate, embedding_texts};
use super::ranking::Ranked;

/// A reranker, and the limits for using it in a search.
#[derive(Clone, Copy)]
pub(crate) struct RerankStep<'a> {
    /// Or why the configured reranker cannot be used.
    pub reranker: Result<&'a dyn Reranker, &'a EmbedError>,
    pub settings: &'a RerankConfig,
}

impl RerankStep<'_> {
    /// Reorders the head of a ranked list in place. If that fails, the list stays as it was and a note is returned.
    pub fn run(
        &self,
        reader: &dyn IndexReader,
        query: &str,
        pool: &[Candidate],
        ranked: &mut [Ranked],
    ) -> Option<String> {
        let depth = ranked.len().min(self.settings.depth);
        let head = &mut ranked[..depth];
        let order = self.reranker.map_err(ToString::to_string).and_then(|reranker| {
            let best: Vec<usize> = head.iter().map(|ranked| ranked.index).collect();
            let texts = embedding_texts(reader, pool, &best).map_err(|error| error.to_string())?;
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let deadline = Instant::now() + Duration::from_millis(self.settings.budget_ms);
            reranker.rerank(query, &texts, deadline).map_err(|error| error.to_string())
        });
        match order {
            Ok(order) => {
                reorder(head, &order);
                None
            }
            Err(problem) => Some(format!("The results were not reranked: {problem}")),
        }
    }
}

/// Puts candidates into a new order. The relevances stay in place and the candidates move between them, so that the
/// following steps (diversity, score) work on the scale for which they were fitted. Candidates that the order omits
/// follow in their old order; positions that are repeated or do not exist are ignored.
fn reorder(head: &mut [Ranked], order: &[usize]) {
    let mut is_taken = vec![false; head.len()];
    let rest = 0..head.len();
    let positions = order.iter().copied().filter(|position| *position < head.len()).chain(rest);
    let moved: Vec<usize> = positions
        .filter(|position| !std::mem::replace(&mut is_taken[*position], true))
        .map(|position| head[position].index)
        .collect();
    for (ranked, index) in head.iter_mut().zip(moved) {
        ranked.index = index;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reordered(order: &[usize]) -> Vec<(usize, f32)> {
        let relevances = [9.0, 5.0, 1.0];
        let ranked = |(index, relevance)| Ranked { index: 10 + index, relevance };
        let mut head: Vec<Ranked> = relevances.into_iter().enumerate().map(ranked).collect();
        reorder(&mut head, order);
        head.into_iter().map(|ranked| (ranked.index, ranked.relevance)).collect()
    }

    #[test]
    fn candidates_move_and_relevances_stay() {
        assert_eq!(reordered(&[2, 0, 1]), [(12, 9.0), (10, 5.0), (11, 1.0)]);
    }

    #[test]
    fn an_incomplete_or_wrong_order_loses_no_candidate() {
        assert_eq!(reordered(&[2]), [(12, 9.0), (10, 5.0), (11, 1.0)]);
        assert_eq!(reordered(&[1, 1, 7]), [(11, 9.0), (10, 5.0), (12, 1.0)]);
        assert_eq!(reordered(&[]), [(10, 9.0), (11, 5.0), (12, 1.0)]);
    }
}
