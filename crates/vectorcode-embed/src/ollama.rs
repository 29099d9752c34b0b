//! Ollama, which runs models on a machine of one's own.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use vectorcode_core::VectorSpace;
use vectorcode_core::config::OllamaConfig;

use crate::http::{BaseUrl, Failure, Patience, Service};
use crate::remote::{Family, Protocol, Question, RemoteEmbedder, parse};
use crate::{EmbedError, Limits, TextKind};

/// An embedder for the server and model that `config` names.
pub fn ollama(config: &OllamaConfig) -> Result<RemoteEmbedder, EmbedError> {
    let base = BaseUrl::parse("provider.ollama.url", &config.url)?;
    let limits = Limits { batch_size: config.batch_size.max(1), concurrency: 1, max_tokens: 8192 };
    let family = Family::of(&config.model);
    Ok(RemoteEmbedder {
        space: VectorSpace::new("ollama", &config.model, config.dimensions),
        provider: "ollama",
        limits,
        request_bytes: usize::MAX,
        timeout: Duration::from_secs(config.timeout_secs),
        family,
        service: Service::new(base, None, limits.concurrency)?,
        protocol: Box::new(Ollama {
            model: config.model.clone(),
            dimensions: family.shortens.then_some(config.dimensions),
        }),
    })
}

struct Ollama {
    model: String,
    /// Sent along for models whose vectors may be cut; of others, Ollama would cut them all the same.
    dimensions: Option<usize>,
}

impl Protocol for Ollama {
    fn question(&self, _kind: TextKind, texts: &[Cow<'_, str>]) -> Question {
        let mut json = json!({ "model": self.model, "input": texts });
        if let Some(dimensions) = self.dimensions {
            json["dimensions"] = dimensions.into();
        }
        Question { path: "/api/embed".into(), json }
    }

    fn vectors(&self, answer: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        let answer: Answer = parse(answer)?;
        Ok(answer.embeddings)
    }

    fn check_server(&self, service: &Service, patience: &Patience) -> Result<(), EmbedError> {
        let short = Patience { timeout: patience.timeout.min(Duration::from_secs(10)), ..*patience };
        let answer = service.get("/api/tags", &short);
        let tags = answer.ok().and_then(|answer| parse::<Tags>(&answer).ok());
        let tags = tags.ok_or_else(|| unavailable(service))?;
        if tags.models.iter().any(|tag| full_name(&tag.name) == full_name(&self.model)) {
            return Ok(());
        }
        Err(EmbedError::OllamaModelNotFound { model: self.model.clone() })
    }

    fn explain(&self, service: &Service, failure: &Failure) -> Option<EmbedError> {
        match failure {
            Failure::NoAnswer { .. } => Some(unavailable(service)),
            Failure::Status { code: 404, .. } => {
                Some(EmbedError::OllamaModelNotFound { model: self.model.clone() })
            }
            Failure::Status { .. } => None,
        }
    }
}

fn unavailable(service: &Service) -> EmbedError {
    EmbedError::OllamaUnavailable { url: service.base().to_string() }
}

/// `model` means `model:latest`.
fn full_name(model: &str) -> Cow<'_, str> {
    let name = model.rsplit('/').next().unwrap_or(model);
    if name.contains(':') { model.into() } else { format!("{model}:latest").into() }
}

#[derive(Deserialize)]
struct Answer {
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
