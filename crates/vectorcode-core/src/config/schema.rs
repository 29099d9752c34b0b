//! Every key of `config.toml`, with its default. One home: nothing else in the workspace repeats a default.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Secret;
use crate::choices;

/// The whole of `.vectorcode/config.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    pub provider: ProviderConfig,
    pub indexing: IndexingConfig,
    pub watcher: WatcherConfig,
    pub search: SearchConfig,
    /// Documents of the project that are known by name and can be searched alone.
    pub artifacts: Vec<ArtifactConfig>,
    /// Roots of other projects, relative to this one, that `search --linked` asks too.
    pub linked_projects: Vec<PathBuf>,
}

/// A schema, an API description, a runbook: a file or directory of the project, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactConfig {
    pub name: String,
    /// Relative to the project root.
    pub path: PathBuf,
    #[serde(default)]
    pub description: String,
}

choices! {
    /// Who computes the vectors of stage two.
    #[derive(Default)]
    pub enum ProviderName: "provider" {
        #[default]
        Onnx = "onnx", "The bundled model, or an ONNX file of yours; works offline";
        Gemini = "gemini", "Google Gemini; needs an API key";
        Ollama = "ollama", "An Ollama server, usually on this machine";
        OpenAi = "openai", "OpenAI, which needs an API key, or any server with the same API";
        Voyage = "voyage", "Voyage AI; needs an API key";
    }
}

/// Who makes the vectors of stage two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProviderConfig {
    pub name: ProviderName,
    pub onnx: OnnxConfig,
    pub gemini: GeminiConfig,
    pub ollama: OllamaConfig,
    pub openai: OpenAiConfig,
    pub voyage: VoyageConfig,
}

choices! {
    /// How the vectors of a text's tokens are combined into one.
    #[derive(Default)]
    pub enum Pooling: "pooling" {
        #[default]
        Mean = "mean", "The mean of all token vectors";
        Cls = "cls", "The vector of the first token";
    }
}

/// The bundled transformer, or a model file of the user's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OnnxConfig {
    pub model: String,
    /// An ONNX file to use instead of the bundled model; needs `tokenizer_path`.
    pub model_path: Option<PathBuf>,
    pub tokenizer_path: Option<PathBuf>,
    pub pooling: Pooling,
    pub query_prefix: String,
    pub document_prefix: String,
    /// Longest input in tokens; longer texts are cut.
    pub max_tokens: usize,
    /// Keep only the first dimensions (Matryoshka models). `None`: all.
    pub dimensions: Option<usize>,
    /// Threads for embedding. `None`: all cores.
    pub threads: Option<usize>,
}

impl Default for OnnxConfig {
    fn default() -> Self {
        Self {
            model: "code-minilm-l3".into(),
            model_path: None,
            tokenizer_path: None,
            pooling: Pooling::Mean,
            query_prefix: String::new(),
            document_prefix: String::new(),
            max_tokens: 256,
            dimensions: None,
            threads: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GeminiConfig {
    pub api_key: Secret,
    pub model: String,
    pub dimensions: usize,
    pub base_url: String,
    /// Seconds that one request may take.
    pub timeout_secs: u64,
}

impl GeminiConfig {
    /// The environment variable that wins over `api_key`.
    pub const KEY_VARIABLE: &str = "GEMINI_API_KEY";
}

impl Default for GeminiConfig {
    fn default() -> Self {
        Self {
            api_key: Secret::default(),
            model: "gemini-embedding-001".into(),
            dimensions: 768,
            base_url: "https://generativelanguage.googleapis.com".into(),
            timeout_secs: 60,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OllamaConfig {
    pub url: String,
    pub model: String,
    pub dimensions: usize,
    /// Texts in one request.
    pub batch_size: usize,
    /// Seconds that one request may take; the first one may have to load the model.
    pub timeout_secs: u64,
}

impl Default for OllamaConfig {
    fn default() -> Self {
        Self {
            url: "http://localhost:11434".into(),
            model: "embeddinggemma:latest".into(),
            dimensions: 768,
            batch_size: 32,
            timeout_secs: 300,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenAiConfig {
    pub api_key: Secret,
    pub model: String,
    pub dimensions: usize,
    /// Any server of the OpenAI protocol: LM Studio, vLLM, llama.cpp, LiteLLM, Azure.
    pub base_url: String,
    /// Whether requests name the dimensions. `None`: only for models that are known to take them.
    pub send_dimensions: Option<bool>,
    /// Texts in one request. `None`: 2048, the most that OpenAI takes, or 64 for a server of one's own.
    pub batch_size: Option<usize>,
    /// Seconds that one request may take.
    pub timeout_secs: u64,
}

impl OpenAiConfig {
    /// The environment variable that wins over `api_key`.
    pub const KEY_VARIABLE: &str = "OPENAI_API_KEY";
}

impl Default for OpenAiConfig {
    fn default() -> Self {
        Self {
            api_key: Secret::default(),
            model: "text-embedding-3-small".into(),
            dimensions: 1536,
            base_url: "https://api.openai.com/v1".into(),
            send_dimensions: None,
            batch_size: None,
            timeout_secs: 120,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VoyageConfig {
    pub api_key: Secret,
    pub model: String,
    pub dimensions: usize,
    pub base_url: String,
    /// Seconds that one request may take.
    pub timeout_secs: u64,
}

impl VoyageConfig {
    /// The environment variable that wins over `api_key`.
    pub const KEY_VARIABLE: &str = "VOYAGE_API_KEY";
}

impl Default for VoyageConfig {
    fn default() -> Self {
        Self {
            api_key: Secret::default(),
            model: "voyage-code-3".into(),
            dimensions: 1024,
            base_url: "https://api.voyageai.com/v1".into(),
            timeout_secs: 60,
        }
    }
}

/// Which files are read, and how many at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IndexingConfig {
    /// Bytes; larger files are skipped.
    pub max_file_size: u64,
    pub exclude_dirs: Vec<String>,
    pub exclude_extensions: Vec<String>,
    /// Further extensions to read as plain text, or as a known language: `".inc"`, `".tpl=html"`.
    pub extra_extensions: Vec<String>,
    /// Files processed at a time.
    pub concurrency: usize,
    /// Let `search` and `serve` make a missing index.
    pub auto_index: bool,
    /// Keep vectors in the per-user cache, shared by branches, worktrees and clones.
    pub embedding_cache: bool,
    /// Bytes that the cache may take on disk.
    pub embedding_cache_size: u64,
}

impl Default for IndexingConfig {
    fn default() -> Self {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Self {
            max_file_size: 1_048_576,
            exclude_dirs: owned(&[
                ".vectorcode",
                ".git",
                "node_modules",
                "target",
                "__pycache__",
                "vendor",
                "dist",
                "build",
                ".next",
            ]),
            exclude_extensions: owned(&[
                ".min.js", ".map", ".lock", ".svg", ".png", ".jpg", ".ico", ".woff", ".woff2", ".ttf",
            ]),
            extra_extensions: Vec::new(),
            concurrency: 8,
            auto_index: true,
            embedding_cache: true,
            embedding_cache_size: 1 << 30,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WatcherConfig {
    pub debounce_ms: u64,
    pub disabled: bool,
    /// Seconds after which the tree is read again, instead of waiting for file events: network drives and some
    /// containers send none. `None`: events, and this only where the system refuses to watch.
    pub poll_secs: Option<u64>,
}

impl Default for WatcherConfig {
    fn default() -> Self {
        Self { debounce_ms: 2000, disabled: false, poll_secs: None }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchConfig {
    pub default_limit: usize,
    pub default_threshold: f32,
    /// Milliseconds that a search may spend on embedding candidates that have no stage-two vector yet.
    pub lazy_budget_ms: u64,
    /// Longest answer of an MCP tool, in tokens.
    pub max_tokens: usize,
    /// Milliseconds that each project may take when several are searched.
    pub project_timeout_ms: u64,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            default_limit: 10,
            default_threshold: 0.3,
            lazy_budget_ms: 150,
            max_tokens: 4000,
            project_timeout_ms: 5000,
        }
    }
}
