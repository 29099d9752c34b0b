//! The errors of embedding and reranking.

use std::path::PathBuf;
use std::sync::Arc;

use vectorcode_core::{Diagnose, ErrorKind, VectorSpace};

/// The error type of this crate. Messages never contain keys or source text.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The provider returned an error, or a response that cannot be used.
    #[error("Embedding provider error: {provider}: {message}")]
    Provider { provider: &'static str, message: String },

    /// The rate limit outlasted all retries. During the retries, the log says "API rate limited. Retrying in ...", as the
    /// specification requires.
    #[error("API rate limited. Try again in {retry_after_secs}s")]
    RateLimited { retry_after_secs: u64 },

    /// A server that the user runs must be started or prepared first; the message says how.
    #[error("{message}")]
    NotReady { message: String },

    #[error("API key not set. Set {env_var} or configure in .vectorcode/config.toml")]
    ApiKeyMissing { env_var: &'static str },

    #[error("API key refused by {provider}: {message}")]
    ApiKeyRefused { provider: &'static str, env_var: &'static str, message: String },

    /// The server did not respond, or its response was incomplete.
    #[error("Embedding provider error: {provider} not reachable at {url}: {reason}")]
    Unreachable { provider: &'static str, url: String, reason: String },

    /// The provider returned vectors that cannot be stored.
    #[error("Embedding provider error: {}/{}: {problem}", space.provider, space.model)]
    BadVectors { space: VectorSpace, problem: String },

    /// A model or tokenizer file is missing, unreadable or not supported.
    #[error("Embedding provider error: {}: {problem}", path.display())]
    ModelFile { path: PathBuf, problem: String },

    /// A configuration value that the provider does not support.
    #[error("Setting {key}: {problem}")]
    Setting { key: &'static str, problem: String },

    /// The reranker returned no usable order.
    #[error("Reranker: {problem}")]
    Reranker { problem: String },

    /// An error shared by all callers that waited for the same result.
    #[error(transparent)]
    Shared(Arc<EmbedError>),

    /// A bundled model failed to load or run.
    #[error("Embedding provider error: bundled model {model}: {problem}")]
    BundledModel { model: &'static str, problem: String },
}

impl Diagnose for EmbedError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Shared(error) => error.kind(),
            Self::Setting { .. } | Self::ModelFile { .. } => ErrorKind::User,
            Self::BundledModel { .. } => ErrorKind::Bug,
            Self::Provider { .. }
            | Self::RateLimited { .. }
            | Self::NotReady { .. }
            | Self::ApiKeyMissing { .. }
            | Self::ApiKeyRefused { .. }
            | Self::Unreachable { .. }
            | Self::Reranker { .. }
            | Self::BadVectors { .. } => ErrorKind::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Shared(error) => return error.hint(),
            Self::BadVectors { .. } => {
                "Check that the model and `dimensions` in .vectorcode/config.toml match what the server runs."
            }
            Self::ModelFile { .. } => {
                "Check `model_path` and `tokenizer_path` in [provider.onnx] or [rerank.onnx], or remove both to use the bundled model."
            }
            Self::Reranker { .. } => {
                "Check [rerank] in config.toml; `rerank.name = \"none\"` switches it off."
            }
            Self::ApiKeyRefused { env_var, .. } => {
                return Some(format!("Check the key in {env_var} or in .vectorcode/config.toml."));
            }
            Self::Unreachable { .. } => {
                "Check the network and the address in .vectorcode/config.toml; behind a company's proxy, set HTTPS_PROXY and SSL_CERT_FILE."
            }
            Self::RateLimited { .. } => "Wait and run the command again: finished work is kept.",
            Self::Setting { .. } => {
                "Correct it where it was set: by an option, by a VECTORCODE_ variable, or in config.toml."
            }
            Self::BundledModel { .. } => "Reinstall vectorcode; if that does not help, please report it.",
            Self::Provider { .. } | Self::NotReady { .. } | Self::ApiKeyMissing { .. } => return None,
        };
        Some(hint.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_those_of_the_specification() {
        let messages = [
            EmbedError::Provider { provider: "gemini", message: "HTTP 500".into() },
            EmbedError::RateLimited { retry_after_secs: 7 },
            EmbedError::ApiKeyMissing { env_var: "GEMINI_API_KEY" },
        ]
        .map(|error| error.to_string());
        assert_eq!(
            messages,
            [
                "Embedding provider error: gemini: HTTP 500",
                "API rate limited. Try again in 7s",
                "API key not set. Set GEMINI_API_KEY or configure in .vectorcode/config.toml",
            ]
        );
    }

    #[test]
    fn bad_vectors_name_provider_and_model() {
        let space = VectorSpace::new("openai", "text-embedding-3-small", 1536);
        let error = EmbedError::BadVectors { space, problem: "3 vectors for 4 texts".into() };
        assert_eq!(
            error.to_string(),
            "Embedding provider error: openai/text-embedding-3-small: 3 vectors for 4 texts"
        );
    }
}
