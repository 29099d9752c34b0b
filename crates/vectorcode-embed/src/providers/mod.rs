//! The registry of embedding providers: one module each, and the selection of the configured one.

pub mod gemini;
pub mod ollama;
pub mod openai;
pub mod voyage;

use std::sync::Arc;

use vectorcode_core::config::{Config, ProviderName};

use crate::{EmbedError, Embedder, OnnxEmbedder};

/// The provider of stage two. Cheap: sends no request, and the bundled model is loaded on first use.
pub fn provider(config: &Config) -> Result<Arc<dyn Embedder>, EmbedError> {
    let settings = &config.provider;
    Ok(match settings.name {
        ProviderName::Onnx => Arc::new(OnnxEmbedder::new(&settings.onnx)?),
        ProviderName::Gemini => Arc::new(gemini::embedder(&settings.gemini)?),
        ProviderName::Ollama => Arc::new(ollama::embedder(&settings.ollama)?),
        ProviderName::OpenAi => Arc::new(openai::embedder(&settings.openai)?),
        ProviderName::Voyage => Arc::new(voyage::embedder(&settings.voyage)?),
    })
}
