//! Provider `voyage`: Voyage AI, whose `voyage-code` models are made for code.

use std::borrow::Cow;

use serde_json::json;
use vectorcode_core::VectorSpace;
use vectorcode_core::config::VoyageConfig;

use super::openai::vectors_by_index;
use crate::http::{BaseUrl, Credentials, Service};
use crate::remote::{EmbedRequest, HOSTED_TIMEOUT, ModelFamily, Protocol, RemoteEmbedder};
use crate::{EmbedError, Limits, TextKind};

/// The limit of all models in the code family; newer ones accept twice as many.
const MAX_TOKENS: usize = 16_000;
/// Below the code models' limit of 120,000 tokens per request.
const REQUEST_BYTES: usize = 300_000;

/// An embedder for the configured model.
pub fn embedder(config: &VoyageConfig) -> Result<RemoteEmbedder, EmbedError> {
    let base = BaseUrl::parse("provider.voyage.base_url", &config.base_url)?;
    let limits = Limits { batch_size: 1000, concurrency: 4, max_tokens: MAX_TOKENS };
    let credentials = Credentials {
        key: config.api_key.clone(),
        variable: VoyageConfig::KEY_VARIABLE,
        header: "authorization",
        scheme: "Bearer ",
    };
    Ok(RemoteEmbedder {
        space: VectorSpace::new("voyage", &config.model, config.dimensions),
        provider: "voyage",
        limits,
        request_bytes: REQUEST_BYTES,
        timeout: HOSTED_TIMEOUT,
        family: ModelFamily::PLAIN,
        service: Service::new(base, Some(credentials), limits.concurrency)?,
        protocol: Box::new(Voyage::new(config)),
    })
}

struct Voyage {
    model: String,
    /// Only sent if the model supports several.
    dimensions: Option<usize>,
}

impl Voyage {
    fn new(config: &VoyageConfig) -> Self {
        Self { model: config.model.clone(), dimensions: shortens(&config.model).then_some(config.dimensions) }
    }
}

/// Whether the model can shorten its vectors. Models before `voyage-code-3` and `voyage-3-large` cannot, and reject the
/// parameter.
fn shortens(model: &str) -> bool {
    !(model.contains("-2") || matches!(model, "voyage-3" | "voyage-3-lite"))
}

impl Protocol for Voyage {
    fn request(&self, kind: TextKind, texts: &[Cow<'_, str>]) -> EmbedRequest {
        let input_type = match kind {
            TextKind::Document => "document",
            TextKind::Query => "query",
        };
        let mut json = json!({ "model": self.model, "input": texts, "input_type": input_type });
        if let Some(dimensions) = self.dimensions {
            json["output_dimension"] = dimensions.into();
        }
        EmbedRequest { path: "/embeddings".into(), json }
    }

    fn vectors(&self, response: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        vectors_by_index(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_with_a_choice_are_told_the_dimensions() {
        for model in ["voyage-code-3", "voyage-3-large", "voyage-3.5-lite", "voyage-4"] {
            assert!(shortens(model), "{model}");
        }
        for model in ["voyage-code-2", "voyage-2", "voyage-large-2-instruct", "voyage-3", "voyage-3-lite"] {
            assert!(!shortens(model), "{model}");
        }
    }
}
