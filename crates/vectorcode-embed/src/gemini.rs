//! Google's Gemini embedding models.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use vectorcode_core::VectorSpace;
use vectorcode_core::config::GeminiConfig;

use crate::http::{BaseUrl, Credentials, Service};
use crate::remote::{Family, Protocol, Question, RemoteEmbedder, parse};
use crate::{EmbedError, Limits, TextKind};

/// A hundred texts of 2048 tokens, which is what the API takes of either.
const REQUEST_BYTES: usize = 600_000;

/// An embedder for the model that `config` names.
pub fn gemini(config: &GeminiConfig) -> Result<RemoteEmbedder, EmbedError> {
    let base = BaseUrl::parse("provider.gemini.base_url", &config.base_url)?;
    let credentials = Credentials {
        key: config.api_key.clone(),
        variable: GeminiConfig::KEY_VARIABLE,
        header: "x-goog-api-key",
        scheme: "",
    };
    let family = Family::of(&config.model);
    let takes_task_type = family == Family::PLAIN;
    let max_tokens = if takes_task_type { 2048 } else { 8192 };
    let limits = Limits { batch_size: 100, concurrency: 4, max_tokens };
    Ok(RemoteEmbedder {
        space: VectorSpace::new("gemini", &config.model, config.dimensions),
        provider: "gemini",
        limits,
        request_bytes: REQUEST_BYTES,
        timeout: Duration::from_secs(config.timeout_secs),
        family,
        service: Service::new(base, Some(credentials), limits.concurrency)?,
        protocol: Box::new(Gemini {
            model: format!("models/{}", config.model.trim_start_matches("models/")),
            dimensions: config.dimensions,
            takes_task_type,
        }),
    })
}

struct Gemini {
    /// With the `models/` before its name.
    model: String,
    dimensions: usize,
    /// Newer models are told the task in words before the text instead.
    takes_task_type: bool,
}

impl Gemini {
    fn request(&self, kind: TextKind, text: &str) -> Value {
        let mut request = json!({
            "model": self.model,
            "content": { "parts": [{ "text": text }] },
            "outputDimensionality": self.dimensions,
        });
        if self.takes_task_type {
            request["taskType"] = task_type(kind).into();
        }
        request
    }
}

fn task_type(kind: TextKind) -> &'static str {
    match kind {
        TextKind::Document => "RETRIEVAL_DOCUMENT",
        TextKind::Query => "CODE_RETRIEVAL_QUERY",
    }
}

impl Protocol for Gemini {
    fn question(&self, kind: TextKind, texts: &[Cow<'_, str>]) -> Question {
        let requests: Vec<_> = texts.iter().map(|text| self.request(kind, text)).collect();
        let path = format!("/v1beta/{}:batchEmbedContents", self.model);
        Question { path, json: json!({ "requests": requests }) }
    }

    fn vectors(&self, answer: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        let answer: Answer = parse(answer)?;
        Ok(answer.embeddings.into_iter().map(|embedding| embedding.values).collect())
    }
}

#[derive(Deserialize)]
struct Answer {
    embeddings: Vec<Values>,
}

#[derive(Deserialize)]
struct Values {
    values: Vec<f32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(model: &str, kind: TextKind) -> Value {
        let gemini = Gemini {
            model: format!("models/{model}"),
            dimensions: 256,
            takes_task_type: Family::of(model) == Family::PLAIN,
        };
        gemini.request(kind, "x")
    }

    #[test]
    fn the_task_is_named_to_models_that_take_it() {
        assert_eq!(sent("gemini-embedding-001", TextKind::Document)["taskType"], "RETRIEVAL_DOCUMENT");
        assert_eq!(sent("gemini-embedding-001", TextKind::Query)["taskType"], "CODE_RETRIEVAL_QUERY");
        assert!(sent("gemini-embedding-2", TextKind::Query).get("taskType").is_none());
    }
}
