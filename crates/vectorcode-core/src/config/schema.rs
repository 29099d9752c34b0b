//! Every key of `config.toml`: its type, its default and its description.
//!
//! Defaults are written nowhere else. The commented file that `init` writes, `config show`, help texts and
//! `docs/configuration.md` are made from these types: defaults from the `Default` impls, descriptions from the doc comments.
//! A key that is unset by default has an example instead.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Secret;
use crate::choices;

/// Settings of vectorcode
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Config {
    /// Roots of other projects, relative to this one, that `search --linked` searches too.
    #[schemars(example = example_links())]
    pub linked_projects: Vec<PathBuf>,
    /// The provider that computes the vectors.
    pub provider: ProviderConfig,
    /// Which files are indexed, and how.
    pub indexing: IndexingConfig,
    /// How `serve` and `watch` follow changes on disk.
    pub watcher: WatcherConfig,
    /// How many projects a server serves at a time.
    pub server: ServerConfig,
    /// How `vectorcode worker` clones and follows registered git repositories.
    pub worker: WorkerConfig,
    /// Defaults and limits of searches.
    pub search: SearchConfig,
    /// A model that reads query and code together and reorders the best results of a search. Off by default.
    pub rerank: RerankConfig,
    /// How much of the git history is read. Similar past commits show which files a question is about.
    pub history: HistoryConfig,
    /// Vectors that a colleague or CI has computed: `vectorcode index push` and `pull` ([details](sharing-vectors.md)).
    pub share: ShareConfig,
    /// What `vectorcode stats` counts.
    pub usage: UsageConfig,
    /// Where indexes are stored. Only your own file and the environment can set this; a project's file cannot.
    pub store: StoreConfig,
    /// Documents that explain the project: schemas, API descriptions, runbooks, decision records. They are indexed even if
    /// they are ignored, and `vectorcode context search` searches only them. Each has a table of its own.
    #[schemars(example = ArtifactConfig::examples())]
    pub artifacts: Vec<ArtifactConfig>,
}

/// Documents such as a schema, an API description or a runbook: a file or directory of the project, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactConfig {
    pub name: String,
    /// A file or directory, relative to the project root.
    pub path: PathBuf,
    #[serde(default)]
    pub description: String,
}

// Examples are function calls because the derive macro accepts list literals only if another crate in the build enables a
// feature of `syn`: with a literal, this crate would compile as part of the workspace, but not alone.
fn example_links() -> [&'static str; 1] {
    ["../api"]
}

fn example_extensions() -> [&'static str; 2] {
    [".inc", ".tpl=html"]
}

fn example_ignore() -> [&'static str; 2] {
    ["third_party/", "*.generated.*"]
}

impl ArtifactConfig {
    fn examples() -> [Self; 1] {
        let description = "All tables. Read it before writing a migration.".into();
        [Self { name: "database-schema".into(), path: "db/schema.sql".into(), description }]
    }
}

choices! {
    /// The provider that computes stage-two vectors.
    #[derive(Default)]
    pub enum ProviderName: "provider" {
        #[default]
        Onnx = "onnx", "The bundled model, or your own ONNX file; works offline";
        Gemini = "gemini", "Google Gemini; needs an API key";
        Ollama = "ollama", "An Ollama server, usually on this machine";
        OpenAi = "openai", "OpenAI, which needs an API key, or any server with the same API";
        Voyage = "voyage", "Voyage AI; needs an API key";
    }
}

impl ProviderName {
    /// The environment variable that takes precedence over `api_key`; `None` for a provider without a key.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Onnx => None,
            Self::Ollama => Some(OllamaConfig::KEY_VARIABLE),
            Self::Gemini => Some(GeminiConfig::KEY_VARIABLE),
            Self::OpenAi => Some(OpenAiConfig::KEY_VARIABLE),
            Self::Voyage => Some(VoyageConfig::KEY_VARIABLE),
        }
    }
}

/// The provider that computes the vectors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProviderConfig {
    /// The provider that computes the vectors.
    pub name: ProviderName,
    /// The bundled model, or a model file of your own.
    pub onnx: OnnxConfig,
    /// Google Gemini.
    pub gemini: GeminiConfig,
    /// An Ollama server.
    pub ollama: OllamaConfig,
    /// OpenAI, or any server with the same API: LM Studio, vLLM, llama.cpp, LiteLLM, Azure.
    pub openai: OpenAiConfig,
    /// Voyage AI.
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

/// The bundled model, or the user's own model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OnnxConfig {
    /// The bundled model to use.
    pub model: String,
    /// An ONNX file to use instead of the bundled model; needs `tokenizer_path`.
    #[schemars(example = "models/model.onnx")]
    pub model_path: Option<PathBuf>,
    /// The `tokenizer.json` of `model_path`.
    #[schemars(example = "models/tokenizer.json")]
    pub tokenizer_path: Option<PathBuf>,
    /// How token vectors are combined into one. Only for `model_path`.
    pub pooling: Pooling,
    /// Text put before each query, for models that were trained with one.
    pub query_prefix: String,
    /// Text put before each chunk, for models that were trained with one.
    pub document_prefix: String,
    /// Maximum length of a text in tokens; longer ones are cut.
    pub max_tokens: usize,
    /// Keep only the first dimensions, for Matryoshka models. Unset: all.
    #[schemars(example = 384)]
    pub dimensions: Option<usize>,
    /// Threads that compute vectors; never more than one per core. Unset: one per core.
    #[schemars(example = 4)]
    pub threads: Option<usize>,
}

impl Default for OnnxConfig {
    fn default() -> Self {
        Self {
            model: "code-minilm-l4".into(),
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GeminiConfig {
    /// The API key. Safer in the environment than in a file.
    pub api_key: Secret,
    /// Name of the model.
    pub model: String,
    /// Length of the vectors: 128 to 3072, usually 256, 512, 768, 1024 or 3072.
    pub dimensions: usize,
    /// Address of the API.
    pub base_url: String,
}

impl GeminiConfig {
    /// The environment variable that takes precedence over `api_key`.
    pub const KEY_VARIABLE: &str = "GEMINI_API_KEY";
}

impl Default for GeminiConfig {
    fn default() -> Self {
        Self {
            api_key: Secret::default(),
            model: "gemini-embedding-001".into(),
            dimensions: 768,
            base_url: "https://generativelanguage.googleapis.com".into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OllamaConfig {
    /// The API key, if the server requires one. Safer in the environment than in a file.
    pub api_key: Secret,
    /// Address of the server.
    pub url: String,
    /// Name of the model; `ollama pull` downloads it.
    pub model: String,
    /// Length of the vectors.
    pub dimensions: usize,
    /// Texts per request.
    pub batch_size: usize,
    /// Maximum time of one request, in seconds; the first one may have to load the model.
    pub timeout_secs: u64,
}

impl OllamaConfig {
    /// The environment variable that takes precedence over `api_key`.
    pub const KEY_VARIABLE: &str = "OLLAMA_API_KEY";
}

impl Default for OllamaConfig {
    fn default() -> Self {
        Self {
            api_key: Secret::default(),
            url: "http://localhost:11434".into(),
            model: "embeddinggemma:latest".into(),
            dimensions: 768,
            batch_size: 32,
            timeout_secs: 300,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OpenAiConfig {
    /// The API key. Safer in the environment than in a file.
    pub api_key: Secret,
    /// Name of the model.
    pub model: String,
    /// Length of the vectors.
    pub dimensions: usize,
    /// Address of the API, or of any server with the same API.
    pub base_url: String,
    /// Whether requests state the number of dimensions. Unset: only for models that are known to accept it.
    #[schemars(example = true)]
    pub send_dimensions: Option<bool>,
    /// Texts per request. Unset: the maximum of OpenAI, or fewer for another server.
    #[schemars(example = 64)]
    pub batch_size: Option<usize>,
    /// Maximum time of one request, in seconds.
    pub timeout_secs: u64,
}

impl OpenAiConfig {
    /// The environment variable that takes precedence over `api_key`.
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct VoyageConfig {
    /// The API key. Safer in the environment than in a file.
    pub api_key: Secret,
    /// Name of the model.
    pub model: String,
    /// Length of the vectors.
    pub dimensions: usize,
    /// Address of the API.
    pub base_url: String,
}

impl VoyageConfig {
    /// The environment variable that takes precedence over `api_key`.
    pub const KEY_VARIABLE: &str = "VOYAGE_API_KEY";
}

impl Default for VoyageConfig {
    fn default() -> Self {
        Self {
            api_key: Secret::default(),
            model: "voyage-code-3".into(),
            dimensions: 1024,
            base_url: "https://api.voyageai.com/v1".into(),
        }
    }
}

/// Which files are indexed, and how many at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IndexingConfig {
    /// Maximum size of a file in bytes; larger ones are skipped.
    pub max_file_size: u64,
    /// Names of directories that are skipped.
    pub exclude_dirs: Vec<String>,
    /// Patterns of paths that are skipped, as in a `.gitignore` at the root. `index --ignore` adds to them.
    #[schemars(example = example_ignore())]
    pub ignore: Vec<String>,
    /// Endings of file names that are skipped.
    pub exclude_extensions: Vec<String>,
    /// Further extensions to index, as plain text or as a known language.
    #[schemars(example = example_extensions())]
    pub extra_extensions: Vec<String>,
    /// Maximum number of files processed in parallel; never more than one per core.
    pub concurrency: usize,
    /// Threads that a server (`serve`, `watch`) uses for reading files and for the vectors of the bundled model; never more
    /// than one per core. Unset: half of the cores, but at least two threads for reading if there are two cores. Commands such
    /// as `index` use all cores.
    #[schemars(example = 2)]
    pub background_threads: Option<usize>,
    /// In a project with at least this many bytes of code, the first index that a search, a server or `index --fast` creates
    /// contains only words, so that search works sooner. Definitions, calls and imports are read when they are needed, or in
    /// the background.
    pub words_first_from: u64,
    /// Whether `search` and `serve` create a missing index.
    pub auto_index: bool,
    /// Whether a search on the command line starts a background process, at low priority, that computes missing vectors of
    /// the bundled model. Unset: the first such search asks. Only the user's own file can set this.
    #[schemars(example = true)]
    pub embed_after_search: Option<bool>,
    /// Keep vectors in a per-user cache that branches, worktrees and clones share.
    pub embedding_cache: bool,
    /// Maximum size of that cache in bytes.
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
            ignore: Vec::new(),
            exclude_extensions: owned(&[
                ".min.js", ".map", ".lock", ".svg", ".png", ".jpg", ".ico", ".woff", ".woff2", ".ttf",
            ]),
            extra_extensions: Vec::new(),
            concurrency: 12,
            background_threads: None,
            words_first_from: 4 << 20,
            auto_index: true,
            embed_after_search: None,
            embedding_cache: true,
            embedding_cache_size: 1 << 30,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WatcherConfig {
    /// Debounce time in milliseconds: changed files are indexed once nothing has changed for this long. A change of up to
    /// eight files, such as an edit, waits only a fifth of it. If changes never stop, files are indexed after twenty times
    /// this long.
    pub debounce_ms: u64,
    /// Do not follow changes on disk.
    pub disabled: bool,
    /// Seconds between two scans of the tree. Unset: file events, plus scans where the system cannot watch files or does not
    /// report all changes ([network drives](remote.md)).
    #[schemars(example = 5)]
    pub poll_secs: Option<u64>,
}

impl Default for WatcherConfig {
    fn default() -> Self {
        Self { debounce_ms: 500, disabled: false, poll_secs: None }
    }
}

/// Limits of a server that serves several projects. The project that it was started for counts, and always stays open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServerConfig {
    /// Maximum number of projects that are open at a time; when another one is opened, the least recently used one is
    /// closed.
    pub open_projects: usize,
    /// Seconds after which an unused project is closed. The project that the server was started for stays open.
    pub idle_secs: u64,
    /// The address under which a proxy publishes the server. Its host is accepted in requests, and every request needs a token.
    #[schemars(example = "https://code.example.com")]
    pub public_url: Option<String>,
    /// Maximum requests per minute for each access token, in bursts of up to ten seconds' worth; 0: no limit. A token can
    /// have its own limit.
    pub requests_per_minute: u32,
    /// Seconds for which a stopping server still accepts requests while `/readyz` already answers 503, so that a load
    /// balancer can notice.
    pub drain_delay_secs: u64,
    /// Seconds that requests in progress have to finish once the server stops.
    pub drain_secs: u64,
}

impl Default for ServerConfig {
    fn default() -> Self {
        // A project in use holds its index in memory: 60 MB for 8,000 chunks, some 200 MB for 50,000.
        Self {
            open_projects: 4,
            idle_secs: 900,
            public_url: None,
            // Twenty per second: more than an agent or a person typing needs, and a tenth of what two cores can answer.
            requests_per_minute: 1_200,
            drain_delay_secs: 0,
            drain_secs: 10,
        }
    }
}

/// How `vectorcode worker` keeps clones of the registered repositories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkerConfig {
    /// The folder for the clones. Unset: `repositories` in the user's data directory.
    #[schemars(example = "/srv/vectorcode/repositories")]
    pub directory: Option<PathBuf>,
    /// Seconds between two checks of a repository for new commits.
    pub every_secs: u64,
    /// Maximum number of commits in a clone; 0 for all.
    pub depth: u32,
    /// Maximum size of one clone on disk, in megabytes. A repository that grows beyond it is not fetched further.
    pub max_repository_mb: u64,
    /// Maximum time of one git command, in seconds.
    pub timeout_secs: u64,
    /// What to fetch in addition to the indexed branch, so that `ref` can search it: branches, patterns of branches, or full
    /// references.
    #[schemars(example = WorkerConfig::example_refs())]
    pub refs: Vec<String>,
    /// Only repositories on these hosts are cloned; empty for any host.
    #[schemars(example = WorkerConfig::example_hosts())]
    pub hosts: Vec<String>,
}

impl WorkerConfig {
    fn example_refs() -> Vec<&'static str> {
        vec!["main", "release/*", "refs/pull/*/head"]
    }

    fn example_hosts() -> Vec<&'static str> {
        vec!["github.com", "gitlab.example.com"]
    }
}

impl Default for WorkerConfig {
    fn default() -> Self {
        Self {
            directory: None,
            every_secs: 300,
            // Similar past commits improve ranking; the engine reads this many of them.
            depth: 1_000,
            max_repository_mb: 4_096,
            timeout_secs: 1_800,
            refs: Vec::new(),
            hosts: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HistoryConfig {
    /// Maximum number of commits to read, newest first; 0: none.
    pub commits: usize,
}

impl Default for HistoryConfig {
    fn default() -> Self {
        Self { commits: 3000 }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ShareConfig {
    /// Where vectors are pushed to and pulled from: a folder, `s3://bucket/path`, `gs://bucket/path`,
    /// `az://container/path`, or `https://host/path`, which can only be pulled from. If set, the first index pulls.
    pub url: String,
    /// The name of the project there, such as `github.com/team/shop`. Empty: the address of the git remote `origin`, and for
    /// a pull also that of `upstream`.
    pub project: String,
    /// The minisign public key that bundles must be signed with; others are refused. Empty: any bundle is accepted.
    pub public_key: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StoreConfig {
    /// The PostgreSQL database that keeps all indexes, such as `postgres://user@host/database`. A password belongs in
    /// `PGPASSWORD` or in the file that `PGPASSFILE` names. Unset: a file in each project.
    #[schemars(example = "postgres://vectorcode@db.example.com/vectorcode")]
    pub url: Option<String>,
    /// The name of this machine's checkouts in the database. Machines that see the same files under the same paths, such as
    /// containers with a shared volume, share their indexes if they share this name. Unset: the name of the host.
    #[schemars(example = "team-volume")]
    pub namespace: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UsageConfig {
    /// Record in the directory of the index which tools and commands are used and how long they take. Neither queries nor
    /// answers are recorded, and nothing is sent anywhere.
    pub record: bool,
}

impl Default for UsageConfig {
    fn default() -> Self {
        Self { record: true }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchConfig {
    /// Maximum number of results.
    pub default_limit: usize,
    /// Minimum score of a result, 0 to 1. Unset: the best results regardless of their score, with a note where they stop
    /// being likely.
    // 64 bits, because 0.3 with 32 bits is written as 0.30000001192092896.
    #[schemars(example = 0.3)]
    pub default_threshold: Option<f64>,
    /// Milliseconds after which a search stops computing missing vectors of its best candidates; 0: it computes none.
    pub lazy_budget_ms: u64,
    /// Maximum length of the answer to an MCP search, in tokens. Answers that list everything may be twice as long.
    pub max_tokens: usize,
    /// Time limit for each project, in milliseconds, when several are searched.
    pub project_timeout_ms: u64,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            default_limit: 10,
            default_threshold: None,
            lazy_budget_ms: 5000,
            // Of budgets from 700 to 1,500, 900 put the right file within 1,000 tokens most often (80 % of 221 bug reports,
            // with an earlier layout of the answers). docs/notes/agents.md compares 900 with 1,500 and 2,000.
            max_tokens: 900,
            project_timeout_ms: 5000,
        }
    }
}

choices! {
    /// Which reranker reorders the best results of a search.
    #[derive(Default)]
    pub enum RerankerName: "reranker" {
        #[default]
        None = "none", "Results stay as they are ranked";
        Onnx = "onnx", "A cross-encoder in an ONNX file of yours; works offline";
        Server = "server", "A server with the `/rerank` API of Cohere, Jina, Voyage or llama.cpp";
    }
}

/// Reranking of the best results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RerankConfig {
    /// Which reranker reorders the best results of a search.
    pub name: RerankerName,
    /// How many of the best candidates the reranker reads.
    pub depth: usize,
    /// Time limit of the reranker in milliseconds. If it takes longer, the results keep their order, and a note says so.
    pub budget_ms: u64,
    /// A cross-encoder of your own.
    pub onnx: RerankOnnxConfig,
    /// A server with a `/rerank` API.
    pub server: RerankServerConfig,
}

impl Default for RerankConfig {
    fn default() -> Self {
        Self {
            name: RerankerName::None,
            // The right file is among the first thirty in more than nine of ten bug reports.
            depth: 30,
            budget_ms: 500,
            onnx: RerankOnnxConfig::default(),
            server: RerankServerConfig::default(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RerankOnnxConfig {
    /// An ONNX file of a model that gives a pair of texts one score.
    #[schemars(example = "models/cross-encoder.onnx")]
    pub model_path: Option<PathBuf>,
    /// The `tokenizer.json` of `model_path`; its type must be WordPiece (BERT).
    #[schemars(example = "models/tokenizer.json")]
    pub tokenizer_path: Option<PathBuf>,
    /// Maximum length of query and code together in tokens; the rest is cut.
    pub max_tokens: usize,
}

impl Default for RerankOnnxConfig {
    fn default() -> Self {
        Self { model_path: None, tokenizer_path: None, max_tokens: 256 }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RerankServerConfig {
    /// Address of the API, to which `/rerank` is added: `https://api.cohere.com/v2`, `https://api.jina.ai/v1`,
    /// `https://api.voyageai.com/v1`, `http://localhost:8080/v1`.
    pub url: String,
    /// Name of the model; empty where the server has only one.
    pub model: String,
    /// The API key, if the server requires one. Safer in the environment than in a file.
    pub api_key: Secret,
}

impl RerankServerConfig {
    /// The environment variable that takes precedence over `api_key`.
    pub const KEY_VARIABLE: &str = "RERANK_API_KEY";
}
