//! Provider `openai`: OpenAI and all servers with the same protocol: LM Studio, vLLM, llama.cpp, LiteLLM, Azure.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use vectorcode_core::VectorSpace;
use vectorcode_core::config::OpenAiConfig;

use crate::http::{BaseUrl, Credentials, RequestFailure, Service};
use crate::remote::{EmbedRequest, ModelFamily, Protocol, RemoteEmbedder, parse};
use crate::{EmbedError, Limits, TextKind};

const HOST: &str = "api.openai.com";
/// The maximum number of texts in one request to OpenAI, and a number that a desktop server can embed before the timeout.
const HOSTED_BATCH: usize = 2048;
const LOCAL_BATCH: usize = 64;
/// Below OpenAI's limit of 300,000 tokens per request.
const REQUEST_BYTES: usize = 750_000;

/// An embedder for the configured server.
pub fn embedder(config: &OpenAiConfig) -> Result<RemoteEmbedder, EmbedError> {
    let base = endpoint(BaseUrl::parse("provider.openai.base_url", &config.base_url)?);
    let hosted = base.host() == HOST || is_azure(&base);
    let default_batch = if hosted { HOSTED_BATCH } else { LOCAL_BATCH };
    let batch_size = config.batch_size.unwrap_or(default_batch).clamp(1, HOSTED_BATCH);
    let limits = Limits { batch_size, concurrency: 4, max_tokens: 8191 };
    let credentials = credentials(config, &base);
    Ok(RemoteEmbedder {
        space: VectorSpace::new("openai", &config.model, config.dimensions),
        provider: "openai",
        limits,
        request_bytes: REQUEST_BYTES,
        timeout: Duration::from_secs(config.timeout_secs),
        family: ModelFamily::of(&config.model),
        service: Service::new(base, credentials, limits.concurrency)?,
        protocol: Box::new(OpenAi::new(config)),
    })
}

/// Users configure the URL of the server, of its API, or of the endpoint; all three work.
fn endpoint(base: BaseUrl) -> BaseUrl {
    let path = match base.path() {
        "" => "/v1".to_owned(),
        path => path.strip_suffix("/embeddings").unwrap_or(path).to_owned(),
    };
    base.with_path(&path)
}

fn is_azure(base: &BaseUrl) -> bool {
    base.host().ends_with(".azure.com") || base.query().contains("api-version=")
}

/// OpenAI needs a key; the user's own server often does not.
fn credentials(config: &OpenAiConfig, base: &BaseUrl) -> Option<Credentials> {
    if config.api_key.is_empty() && base.host() != HOST {
        return None;
    }
    let (header, scheme) = if is_azure(base) { ("api-key", "") } else { ("authorization", "Bearer ") };
    Some(Credentials { key: config.api_key.clone(), variable: OpenAiConfig::KEY_VARIABLE, header, scheme })
}

struct OpenAi {
    model: String,
    /// Only sent if the model can shorten its vectors; other models reject the parameter.
    dimensions: Option<usize>,
}

impl OpenAi {
    fn new(config: &OpenAiConfig) -> Self {
        let shortens = config.model.contains("text-embedding-3");
        let send = config.send_dimensions.unwrap_or(shortens);
        Self { model: config.model.clone(), dimensions: send.then_some(config.dimensions) }
    }
}

impl Protocol for OpenAi {
    fn request(&self, _kind: TextKind, texts: &[Cow<'_, str>]) -> EmbedRequest {
        let mut json = json!({ "model": self.model, "input": texts });
        if let Some(dimensions) = self.dimensions {
            json["dimensions"] = dimensions.into();
        }
        EmbedRequest { path: "/embeddings".into(), json }
    }

    fn vectors(&self, response: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        vectors_by_index(response)
    }

    fn explain(&self, service: &Service, failure: &RequestFailure) -> Option<EmbedError> {
        let keyless = service.key_variable().is_none();
        let missing = EmbedError::ApiKeyMissing { env_var: OpenAiConfig::KEY_VARIABLE };
        (keyless && failure.is_key_refused()).then_some(missing)
    }
}

#[derive(Deserialize)]
struct OpenAiResponse {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

/// The vectors of a response in the OpenAI protocol, which may be in any order.
pub(crate) fn vectors_by_index(response: &[u8]) -> Result<Vec<Vec<f32>>, String> {
    let mut items = parse::<OpenAiResponse>(response)?.data;
    items.sort_by_key(|item| item.index);
    if items.iter().enumerate().any(|(place, item)| place != item.index) {
        return Err("the vectors in the response are not numbered from 0 without gaps".into());
    }
    Ok(items.into_iter().map(|item| item.embedding).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(base_url: &str) -> String {
        endpoint(BaseUrl::parse("provider.openai.base_url", base_url).unwrap()).join("/embeddings")
    }

    #[test]
    fn the_endpoint_is_found_from_what_people_write() {
        for base in
            ["http://localhost:1234", "http://localhost:1234/v1/", "http://localhost:1234/v1/embeddings"]
        {
            assert_eq!(address(base), "http://localhost:1234/v1/embeddings");
        }
        assert_eq!(
            address("https://x.openai.azure.com/openai/deployments/small?api-version=2024-10-21"),
            "https://x.openai.azure.com/openai/deployments/small/embeddings?api-version=2024-10-21"
        );
    }

    #[test]
    fn the_key_travels_in_the_header_that_the_server_reads() {
        let header = |base_url: &str, key: &str| {
            let base = BaseUrl::parse("provider.openai.base_url", base_url).unwrap();
            let config = OpenAiConfig { api_key: key.into(), ..OpenAiConfig::default() };
            credentials(&config, &base).map(|credentials| credentials.header)
        };
        assert_eq!(header("https://api.openai.com/v1", ""), Some("authorization"));
        assert_eq!(header("https://x.openai.azure.com/v1", "k"), Some("api-key"));
        assert_eq!(header("https://gateway.corp/ai?api-version=1", "k"), Some("api-key"));
        assert_eq!(header("http://localhost:1234/v1", "k"), Some("authorization"));
        assert_eq!(header("http://localhost:1234/v1", ""), None);
    }

    #[test]
    fn dimensions_are_named_only_to_models_that_take_them() {
        let sent = |model: &str, send_dimensions| {
            let config = OpenAiConfig { model: model.into(), send_dimensions, ..OpenAiConfig::default() };
            OpenAi::new(&config).request(TextKind::Query, &["x".into()]).json.get("dimensions").is_some()
        };
        assert!(sent("text-embedding-3-large", None));
        assert!(!sent("text-embedding-ada-002", None));
        assert!(!sent("text-embedding-3-large", Some(false)));
        assert!(sent("my-deployment", Some(true)));
    }
}
