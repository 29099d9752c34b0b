//! Provider `ollama`: models on the user's own server.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use vectorcode_core::VectorSpace;
use vectorcode_core::config::OllamaConfig;

use crate::http::{BaseUrl, Credentials, RequestFailure, RetryPolicy, Service};
use crate::remote::{EmbedRequest, ModelFamily, Protocol, RemoteEmbedder, parse};
use crate::{EmbedError, Limits, TextKind};

/// An embedder for the configured server and model.
pub fn embedder(config: &OllamaConfig) -> Result<RemoteEmbedder, EmbedError> {
    let base = BaseUrl::parse("provider.ollama.url", &config.url)?;
    let limits = Limits { batch_size: config.batch_size.max(1), concurrency: 1, max_tokens: 8192 };
    let family = ModelFamily::of(&config.model);
    Ok(RemoteEmbedder {
        space: VectorSpace::new("ollama", &config.model, config.dimensions),
        provider: "ollama",
        limits,
        request_bytes: usize::MAX,
        timeout: Duration::from_secs(config.timeout_secs),
        family,
        service: Service::new(base, credentials(config), limits.concurrency)?,
        protocol: Box::new(Ollama {
            model: config.model.clone(),
            dimensions: family.is_matryoshka.then_some(config.dimensions),
        }),
    })
}

/// A server on the user's machine needs no key; Ollama's cloud service and proxies do.
fn credentials(config: &OllamaConfig) -> Option<Credentials> {
    let key = config.api_key.clone();
    let variable = OllamaConfig::KEY_VARIABLE;
    (!key.is_empty()).then_some(Credentials { key, variable, header: "authorization", scheme: "Bearer " })
}

struct Ollama {
    model: String,
    /// Only sent for models whose vectors may be shortened: Ollama would also shorten those of other models.
    dimensions: Option<usize>,
}

impl Protocol for Ollama {
    fn request(&self, _kind: TextKind, texts: &[Cow<'_, str>]) -> EmbedRequest {
        let mut json = json!({ "model": self.model, "input": texts });
        if let Some(dimensions) = self.dimensions {
            json["dimensions"] = dimensions.into();
        }
        EmbedRequest { path: "/api/embed".into(), json }
    }

    fn vectors(&self, response: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        let response: OllamaResponse = parse(response)?;
        Ok(response.embeddings)
    }

    fn check_server(&self, service: &Service, policy: &RetryPolicy) -> Result<(), EmbedError> {
        let short = RetryPolicy { timeout: policy.timeout.min(Duration::from_secs(10)), ..*policy };
        let response = service.get("/api/tags", &short);
        let tags = response.ok().and_then(|response| parse::<Tags>(&response).ok());
        let tags = tags.ok_or_else(|| unavailable(service))?;
        if tags.models.iter().any(|tag| full_name(&tag.name) == full_name(&self.model)) {
            return Ok(());
        }
        Err(not_pulled(&self.model))
    }

    fn explain(&self, service: &Service, failure: &RequestFailure) -> Option<EmbedError> {
        match failure {
            RequestFailure::NoAnswer { .. } => Some(unavailable(service)),
            RequestFailure::Status { code: 404, .. } => Some(not_pulled(&self.model)),
            RequestFailure::Status { .. } => None,
        }
    }
}

fn unavailable(service: &Service) -> EmbedError {
    let url = service.base();
    EmbedError::NotReady {
        message: format!("Ollama not reachable at {url}. Is it running? Try: ollama serve"),
    }
}

fn not_pulled(model: &str) -> EmbedError {
    EmbedError::NotReady { message: format!("Model '{model}' not found in Ollama. Try: ollama pull {model}") }
}

/// Adds the implied tag: `model` means `model:latest`.
fn full_name(model: &str) -> Cow<'_, str> {
    let name = model.rsplit('/').next().unwrap_or(model);
    if name.contains(':') { model.into() } else { format!("{model}:latest").into() }
}

#[derive(Deserialize)]
struct OllamaResponse {
    embeddings: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_tag_means_the_latest() {
        assert_eq!(full_name("embeddinggemma"), "embeddinggemma:latest");
        assert_eq!(full_name("embeddinggemma:300m"), "embeddinggemma:300m");
        assert_eq!(full_name("host:80/me/model"), "host:80/me/model:latest");
    }
}
