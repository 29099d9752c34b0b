//! Reranker `server`: the `/rerank` API that Cohere, Jina, Voyage and llama.cpp share.

use std::fmt;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use vectorcode_core::config::RerankServerConfig;

use super::best_first;
use crate::http::{BaseUrl, Credentials, RequestFailure, RetryPolicy, Service};
use crate::{EmbedError, Reranker};

/// Allows concurrent searches from several connections; a local server usually processes one request at a time anyway.
const CONCURRENCY: usize = 4;

/// A server that scores texts for a query.
pub struct RerankServer {
    service: Service,
    model: String,
}

impl RerankServer {
    /// Sends no request.
    pub fn new(config: &RerankServerConfig) -> Result<Self, EmbedError> {
        let base = BaseUrl::parse("rerank.server.url", &config.url)?;
        let credentials = (!config.api_key.is_empty()).then(|| Credentials {
            key: config.api_key.clone(),
            variable: RerankServerConfig::KEY_VARIABLE,
            header: "authorization",
            scheme: "Bearer ",
        });
        Ok(Self { service: Service::new(base, credentials, CONCURRENCY)?, model: config.model.clone() })
    }

    fn request(&self, query: &str, texts: &[&str]) -> Vec<u8> {
        let mut body = json!({ "query": query, "documents": texts });
        if !self.model.is_empty() {
            body["model"] = self.model.as_str().into();
        }
        body.to_string().into_bytes()
    }

    fn explain(&self, failure: &RequestFailure) -> EmbedError {
        let problem = match failure {
            RequestFailure::NoAnswer { reason, .. } => {
                format!("the server at {} did not answer: {reason}", self.service.base())
            }
            RequestFailure::Status { .. } => failure.to_string(),
        };
        EmbedError::Reranker { problem }
    }
}

impl Reranker for RerankServer {
    fn rerank(&self, query: &str, texts: &[&str], deadline: Instant) -> Result<Vec<usize>, EmbedError> {
        let left = deadline.saturating_duration_since(Instant::now());
        // A retry would miss the deadline, so the first attempt may use all of the time.
        let policy =
            RetryPolicy { attempts: 1, attempts_unanswered: 1, total: Duration::ZERO, timeout: left };
        let answer = self.service.post("/rerank", &self.request(query, texts), &policy);
        let answer = answer.map_err(|failure| self.explain(&failure))?;
        let scores = scores(&answer, texts.len()).map_err(|problem| EmbedError::Reranker { problem })?;
        Ok(best_first(scores))
    }
}

/// Scores are in `results`, or in `data` for Voyage, in any order.
#[derive(Deserialize)]
struct Answer {
    #[serde(alias = "data")]
    results: Vec<Score>,
}

#[derive(Deserialize)]
struct Score {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f32,
}

fn scores(answer: &[u8], texts: usize) -> Result<Vec<(usize, f32)>, String> {
    let answer: Answer =
        serde_json::from_slice(answer).map_err(|error| format!("unusable answer: {error}"))?;
    let scores: Vec<(usize, f32)> =
        answer.results.iter().map(|score| (score.index, score.relevance_score)).collect();
    match scores.iter().find(|(index, score)| *index >= texts || !score.is_finite()) {
        Some((index, score)) => Err(format!("unusable answer: score {score} for text {index} of {texts}")),
        None if scores.is_empty() && texts > 0 => Err("unusable answer: it has no scores".into()),
        None => Ok(scores),
    }
}

impl fmt::Debug for RerankServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RerankServer")
            .field("service", &self.service)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_of_all_apis_are_read() {
        let (cohere, voyage, plain) = (
            br#"{"id":"x","results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}],"meta":{}}"#,
            br#"{"object":"list","data":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}]}"#,
            br#"{"results":[{"index":1,"score":0.9},{"index":0,"score":0.1}]}"#,
        );
        for answer in [&cohere[..], &voyage[..], &plain[..]] {
            assert_eq!(scores(answer, 2).unwrap(), [(1, 0.9), (0, 0.1)]);
        }
    }

    #[test]
    fn an_answer_about_other_texts_is_refused() {
        for answer in [
            &br#"{"results":[{"index":2,"relevance_score":0.9}]}"#[..],
            br#"{"results":[]}"#,
            br#"{"error":"busy"}"#,
            b"<html>",
        ] {
            assert!(scores(answer, 2).unwrap_err().starts_with("unusable answer"));
        }
    }
}
