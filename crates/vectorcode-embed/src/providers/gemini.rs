//! Provider `gemini`: Google's embedding models.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::{Value, json};
use vectorcode_core::VectorSpace;
use vectorcode_core::config::GeminiConfig;

use crate::http::{BaseUrl, Credentials, Service};
use crate::remote::{EmbedRequest, HOSTED_TIMEOUT, ModelFamily, Protocol, RemoteEmbedder, parse};
use crate::{EmbedError, Limits, TextKind};

/// A hundred texts of 2048 tokens (the limits of the API), at three bytes per token.
const REQUEST_BYTES: usize = 600_000;

/// The dimensions that Google's own models support. The API would reject others only with the first request, after files were
/// read and an index was created for that number of dimensions.
const DIMENSIONS: RangeInclusive<usize> = 128..=3072;

/// Checks the dimensions of Google's own models. Another server may use such a model name for anything.
fn check_dimensions(config: &GeminiConfig) -> Result<(), EmbedError> {
    let is_google = config.base_url == GeminiConfig::default().base_url;
    let is_known = is_google && config.model.trim_start_matches("models/").starts_with("gemini-embedding");
    if !is_known || DIMENSIONS.contains(&config.dimensions) {
        return Ok(());
    }
    let (shortest, longest) = (DIMENSIONS.start(), DIMENSIONS.end());
    Err(EmbedError::Setting {
        key: "provider.gemini.dimensions",
        problem: format!(
            "{} supports {shortest} to {longest} dimensions, not {}",
            config.model, config.dimensions
        ),
    })
}

/// An embedder for the configured model.
pub fn embedder(config: &GeminiConfig) -> Result<RemoteEmbedder, EmbedError> {
    check_dimensions(config)?;
    let base = BaseUrl::parse("provider.gemini.base_url", &config.base_url)?;
    let credentials = Credentials {
        key: config.api_key.clone(),
        variable: GeminiConfig::KEY_VARIABLE,
        header: "x-goog-api-key",
        scheme: "",
    };
    let family = ModelFamily::of(&config.model);
    let takes_task_type = family == ModelFamily::PLAIN;
    let max_tokens = if takes_task_type { 2048 } else { 8192 };
    let limits = Limits { batch_size: 100, concurrency: 4, max_tokens };
    Ok(RemoteEmbedder {
        space: VectorSpace::new("gemini", &config.model, config.dimensions),
        provider: "gemini",
        limits,
        request_bytes: REQUEST_BYTES,
        timeout: HOSTED_TIMEOUT,
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
    /// With the prefix `models/`, which the API requires.
    model: String,
    dimensions: usize,
    /// Newer models expect the task as a prefix of the text instead; see [`ModelFamily`].
    takes_task_type: bool,
}

impl Gemini {
    fn embed_content(&self, kind: TextKind, text: &str) -> Value {
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
    fn request(&self, kind: TextKind, texts: &[Cow<'_, str>]) -> EmbedRequest {
        let requests: Vec<_> = texts.iter().map(|text| self.embed_content(kind, text)).collect();
        let path = format!("/v1beta/{}:batchEmbedContents", self.model);
        EmbedRequest { path, json: json!({ "requests": requests }) }
    }

    fn vectors(&self, response: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        let response: GeminiResponse = parse(response)?;
        Ok(response.embeddings.into_iter().map(|embedding| embedding.values).collect())
    }
}

#[derive(Deserialize)]
struct GeminiResponse {
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
            takes_task_type: ModelFamily::of(model) == ModelFamily::PLAIN,
        };
        gemini.embed_content(kind, "x")
    }

    #[test]
    fn dimensions_that_the_model_does_not_have_are_refused_at_once() {
        let with = |dimensions| embedder(&GeminiConfig { dimensions, ..GeminiConfig::default() });
        for dimensions in [256, 512, 768, 1024, 3072] {
            assert!(with(dimensions).is_ok(), "{dimensions}");
        }
        for dimensions in [0, 64, 4096] {
            let error = with(dimensions).unwrap_err().to_string();
            assert!(error.contains("provider.gemini.dimensions") && error.contains("128 to 3072"), "{error}");
        }
    }

    #[test]
    fn the_task_is_named_to_models_that_take_it() {
        assert_eq!(sent("gemini-embedding-001", TextKind::Document)["taskType"], "RETRIEVAL_DOCUMENT");
        assert_eq!(sent("gemini-embedding-001", TextKind::Query)["taskType"], "CODE_RETRIEVAL_QUERY");
        assert!(sent("gemini-embedding-2", TextKind::Query).get("taskType").is_none());
    }
}
