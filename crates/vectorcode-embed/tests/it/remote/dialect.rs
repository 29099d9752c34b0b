//! The configuration, request format and response format of each provider, so that one test can cover all of them.

use serde_json::{Value, json};
use vectorcode_core::config::{GeminiConfig, OllamaConfig, OpenAiConfig, VoyageConfig};
use vectorcode_embed::RemoteEmbedder;
use vectorcode_embed::providers::{gemini, ollama, openai, voyage};

use super::server::{Received, Reply};

pub const KEY: &str = "sk-very-secret-0123456789";
pub const DIMENSIONS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Gemini,
    Ollama,
    OpenAi,
    Voyage,
}

impl Dialect {
    pub const ALL: [Self; 4] = [Self::Gemini, Self::Ollama, Self::OpenAi, Self::Voyage];

    /// The configured model takes texts without prefixes.
    pub fn embedder(self, url: &str) -> RemoteEmbedder {
        let base_url = url.to_owned();
        let (api_key, dimensions) = (KEY.into(), DIMENSIONS);
        match self {
            Self::Gemini => {
                gemini::embedder(&GeminiConfig { api_key, dimensions, base_url, ..GeminiConfig::default() })
            }
            Self::Ollama => ollama::embedder(&OllamaConfig {
                url: base_url,
                model: "all-minilm".into(),
                dimensions,
                ..OllamaConfig::default()
            }),
            Self::OpenAi => {
                openai::embedder(&OpenAiConfig { api_key, dimensions, base_url, ..OpenAiConfig::default() })
            }
            Self::Voyage => {
                voyage::embedder(&VoyageConfig { api_key, dimensions, base_url, ..VoyageConfig::default() })
            }
        }
        .unwrap()
    }

    pub fn texts(self, request: &Received) -> Vec<String> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        match self {
            Self::Gemini => {
                let requests = request.json["requests"].as_array().unwrap();
                requests.iter().map(|request| text(&request["content"]["parts"][0]["text"])).collect()
            }
            _ => request.json["input"].as_array().unwrap().iter().map(text).collect(),
        }
    }

    /// If the protocol numbers its vectors, they come in reverse order.
    pub fn answer(self, vectors: &[Value]) -> Value {
        let numbered =
            || vectors.iter().enumerate().rev().map(|(index, v)| json!({ "index": index, "embedding": v }));
        match self {
            Self::Gemini => {
                json!({ "embeddings": vectors.iter().map(|v| json!({ "values": v })).collect::<Vec<_>>() })
            }
            Self::Ollama => json!({ "embeddings": vectors }),
            Self::OpenAi | Self::Voyage => json!({ "data": numbered().collect::<Vec<_>>() }),
        }
    }

    /// Every text gets the vector of [`vector_of`].
    pub fn reply(self, request: &Received) -> Reply {
        let vectors: Vec<_> = self.texts(request).iter().map(|text| json!(vector_of(text))).collect();
        Reply::new(200, self.answer(&vectors))
    }
}

/// A vector that encodes the length of its text. It does not have unit length, as the vectors of a server need not.
fn vector_of(text: &str) -> [f32; DIMENSIONS] {
    [text.len() as f32, 100.0, -1.0]
}

/// The length of the text that `vector` was made from.
pub fn told_length(vector: &[f32]) -> usize {
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    assert!((norm - 1.0).abs() < 1e-5, "not of unit length: {vector:?}");
    (-vector[0] / vector[2]).round() as usize
}
