//! Which embedder a configuration asks for.

use std::sync::Arc;

use vectorcode_core::config::{Config, ProviderName};

use crate::{EmbedError, Embedder, OnnxEmbedder, gemini, ollama, openai, voyage};

/// The provider of stage two. Cheap: nothing is asked of a server, and the bundled model loads on first use.
pub fn provider(config: &Config) -> Result<Arc<dyn Embedder>, EmbedError> {
    let settings = &config.provider;
    Ok(match settings.name {
        ProviderName::Onnx => Arc::new(OnnxEmbedder::new(&settings.onnx)?),
        ProviderName::Gemini => Arc::new(gemini(&settings.gemini)?),
        ProviderName::Ollama => Arc::new(ollama(&settings.ollama)?),
        ProviderName::OpenAi => Arc::new(openai(&settings.openai)?),
        ProviderName::Voyage => Arc::new(voyage(&settings.voyage)?),
    })
}
