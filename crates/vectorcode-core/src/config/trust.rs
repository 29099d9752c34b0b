//! Decides which settings of a project's own file apply before the user has approved them.
//!
//! A project is hostile input: whoever wrote the repository wrote its `.vectorcode/config.toml`. Settings that only affect
//! what is indexed and shown apply at once. Settings that send something, name an address or a key, load a file as a model,
//! or reach outside the root are withheld until the user approves them (`vectorcode trust`). An approval is valid for one
//! root and one set of values: other values need a new approval. `RISKS` is the only place that classifies settings.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use toml::Value;

use super::secret::shown_value;
use super::{ProviderName, RerankerName, find_key};
use crate::paths::canonical;
use crate::visible_line;

/// What a hostile project could do to its user with a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Affects only what is indexed, found and shown of this project.
    None,
    /// Chooses who receives code and queries. The bundled model sends nothing and is no risk.
    Provider,
    /// Sets where code, queries and keys are sent.
    Address,
    /// Is sent instead of the user's own key.
    Key,
    /// Chooses who receives queries and the best results to reorder them. `none` is no risk.
    Reranker,
    /// Affects the requests to a provider, and so their price.
    Request,
    /// Names a file that is loaded as a model.
    ModelFile,
    /// Names other projects. Those inside the root are no risk.
    OtherProjects,
    /// Limits the cache that all projects of the user share.
    SharedCache,
    /// Limits the memory of the user's servers, which serve other projects too.
    ServerMemory,
    /// Affects what the user's servers and workers do for others: who gets access, and what is fetched from where.
    TeamService,
    /// Sets where vectors are pulled from and pushed to, under which name, and whose signature is accepted.
    Share,
    /// Sets where the user's indexes are stored, or what runs on their machine without being asked for. A project can never
    /// set it, approved or not.
    UserOnly,
    /// Limits what is read into memory at once. Up to [`MAX_PROJECT_FILE_SIZE`] it is no risk.
    FileSize,
}

/// The largest `indexing.max_file_size` that a project may set without approval, in bytes. Each file is read as a whole, by
/// as many threads as there are cores: at 16 MiB, even 16 threads stay within the memory that `index` may use. The largest
/// hand-written sources that projects index (amalgamations, generated clients) have 5 to 10 MB.
const MAX_PROJECT_FILE_SIZE: i64 = 16 << 20;

/// Every key that a project's file can set. A key that is missing here is withheld, and a test fails.
const RISKS: &[(&str, Risk)] = &[
    // Artifact paths outside the root are refused when artifacts are read, approved or not.
    ("artifacts", Risk::None),
    ("history.commits", Risk::None),
    ("indexing.auto_index", Risk::None),
    ("indexing.background_threads", Risk::None),
    ("indexing.concurrency", Risk::None),
    ("indexing.embed_after_search", Risk::UserOnly),
    ("indexing.embedding_cache", Risk::None),
    ("indexing.embedding_cache_size", Risk::SharedCache),
    ("indexing.exclude_dirs", Risk::None),
    ("indexing.exclude_extensions", Risk::None),
    ("indexing.extra_extensions", Risk::None),
    ("indexing.ignore", Risk::None),
    ("indexing.max_file_size", Risk::FileSize),
    ("indexing.words_first_from", Risk::None),
    ("linked_projects", Risk::OtherProjects),
    ("provider.gemini.api_key", Risk::Key),
    ("provider.gemini.base_url", Risk::Address),
    ("provider.gemini.dimensions", Risk::Request),
    ("provider.gemini.model", Risk::Request),
    ("provider.name", Risk::Provider),
    ("provider.ollama.api_key", Risk::Key),
    ("provider.ollama.batch_size", Risk::Request),
    ("provider.ollama.dimensions", Risk::Request),
    ("provider.ollama.model", Risk::Request),
    ("provider.ollama.timeout_secs", Risk::Request),
    ("provider.ollama.url", Risk::Address),
    ("provider.onnx.dimensions", Risk::None),
    ("provider.onnx.document_prefix", Risk::None),
    ("provider.onnx.max_tokens", Risk::None),
    ("provider.onnx.model", Risk::None),
    ("provider.onnx.model_path", Risk::ModelFile),
    ("provider.onnx.pooling", Risk::None),
    ("provider.onnx.query_prefix", Risk::None),
    ("provider.onnx.threads", Risk::None),
    ("provider.onnx.tokenizer_path", Risk::ModelFile),
    ("provider.openai.api_key", Risk::Key),
    ("provider.openai.base_url", Risk::Address),
    ("provider.openai.batch_size", Risk::Request),
    ("provider.openai.dimensions", Risk::Request),
    ("provider.openai.model", Risk::Request),
    ("provider.openai.send_dimensions", Risk::Request),
    ("provider.openai.timeout_secs", Risk::Request),
    ("provider.voyage.api_key", Risk::Key),
    ("provider.voyage.base_url", Risk::Address),
    ("provider.voyage.dimensions", Risk::Request),
    ("provider.voyage.model", Risk::Request),
    ("rerank.budget_ms", Risk::Request),
    ("rerank.depth", Risk::Request),
    ("rerank.name", Risk::Reranker),
    ("rerank.onnx.max_tokens", Risk::None),
    ("rerank.onnx.model_path", Risk::ModelFile),
    ("rerank.onnx.tokenizer_path", Risk::ModelFile),
    ("rerank.server.api_key", Risk::Key),
    ("rerank.server.model", Risk::Request),
    ("rerank.server.url", Risk::Address),
    ("search.default_limit", Risk::None),
    ("search.default_threshold", Risk::None),
    ("search.lazy_budget_ms", Risk::None),
    ("search.max_tokens", Risk::None),
    ("search.project_timeout_ms", Risk::None),
    ("server.drain_delay_secs", Risk::TeamService),
    ("server.drain_secs", Risk::TeamService),
    ("server.idle_secs", Risk::ServerMemory),
    ("server.open_projects", Risk::ServerMemory),
    ("server.public_url", Risk::TeamService),
    ("server.requests_per_minute", Risk::TeamService),
    // An empty key or URL is withheld too: it would override the user's own.
    ("share.project", Risk::Share),
    ("share.public_key", Risk::Share),
    ("share.url", Risk::Share),
    ("store.namespace", Risk::UserOnly),
    ("store.url", Risk::UserOnly),
    // Only names and times are recorded, and only in the directory of the index.
    ("usage.record", Risk::None),
    ("watcher.debounce_ms", Risk::None),
    ("watcher.disabled", Risk::None),
    ("watcher.poll_secs", Risk::None),
    ("worker.depth", Risk::TeamService),
    ("worker.directory", Risk::TeamService),
    ("worker.every_secs", Risk::TeamService),
    ("worker.hosts", Risk::TeamService),
    ("worker.max_repository_mb", Risk::TeamService),
    ("worker.refs", Risk::TeamService),
    ("worker.timeout_secs", Risk::TeamService),
];

fn risk_of(key: &str) -> Option<Risk> {
    RISKS.iter().find(|(known, _)| *known == key).map(|(_, risk)| *risk)
}

/// An unknown key has no effect, and gets a warning of its own. A known key that is missing in `RISKS` is withheld.
fn risk_or_worst(key: &str) -> Risk {
    let worst = || if find_key(key).is_some() { Risk::Key } else { Risk::None };
    risk_of(key).unwrap_or_else(worst)
}

/// A setting of a project's file that needs the user's approval.
#[derive(Clone, PartialEq)]
pub struct SensitiveSetting {
    pub key: String,
    value: Value,
    pub risk: Risk,
}

impl SensitiveSetting {
    /// What approving this setting allows.
    pub fn effect(&self) -> &'static str {
        match self.risk {
            Risk::None => "",
            Risk::Provider => "your code and queries are sent to this provider, with your API key for it",
            Risk::Address => "your code, queries and API key are sent to this address",
            Risk::Key => "this key is used in place of yours; its owner may see what is sent",
            Risk::Reranker => {
                "your queries and the best results are given to this reranker, with your API key for it"
            }
            Risk::Request => "requests to the provider, and what they cost, may change",
            Risk::ModelFile => "this file is loaded as a model",
            Risk::OtherProjects => "`search --linked` also reads these projects outside the root",
            Risk::SharedCache => "vectors that all your projects share may be dropped",
            Risk::ServerMemory => "your servers keep this many projects open, or keep them open this long",
            Risk::TeamService => "what your servers and workers do for everybody changes",
            Risk::Share => {
                "vectors of your code are pulled from and pushed to this place, with your credentials for it"
            }
            Risk::UserOnly => "only your own settings can set it",
            Risk::FileSize => "files of up to this size are read into memory",
        }
    }
}

/// `provider.name = "openai"`, with keys and passwords hidden and control characters escaped.
impl fmt::Display for SensitiveSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{} = {}", self.key, shown_value(&self.key, Some(&self.value)));
        f.write_str(&visible_line(&text))
    }
}

/// Hides keys too, so that no log line contains one.
impl fmt::Debug for SensitiveSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// All settings of one project that need approval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SensitiveSettings {
    pub root: PathBuf,
    /// Sorted by key.
    pub settings: Vec<SensitiveSetting>,
}

impl SensitiveSettings {
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// A hash of this root and exactly these settings, including keys.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("vectorcode 2026-11 approved project settings");
        hasher.update(self.root.as_os_str().as_encoded_bytes()).update(b"\0");
        for setting in &self.settings {
            hasher.update(setting.key.as_bytes()).update(b"\0");
            hasher.update(setting.value.to_string().as_bytes()).update(b"\0");
        }
        hasher.finalize().to_hex().to_string()
    }

    /// A message for the user: what is withheld, and how to approve it.
    pub fn note(&self) -> String {
        // Request settings matter only together with a provider or address, which the message names.
        let matters = |setting: &&SensitiveSetting| setting.risk != Risk::Request;
        let mut named: Vec<String> = self.settings.iter().filter(matters).map(ToString::to_string).collect();
        if named.is_empty() {
            named = self.settings.iter().map(ToString::to_string).collect();
        }
        let pronoun = if self.settings.len() == 1 { "it is" } else { "they are" };
        format!(
            "The project's settings ask for {}; {pronoun} not in force until you run `vectorcode trust`.",
            named.join(", ")
        )
    }
}

/// The settings of a project's file, split by whether they need approval.
#[derive(Debug, Default)]
pub(super) struct ClassifiedSettings {
    /// Settings that apply without approval. A list may be here without some of its entries.
    pub harmless: Vec<(String, Value)>,
    pub sensitive: SensitiveSettings,
    /// Keys that a project's file can never set.
    pub ignored: Vec<String>,
}

/// Splits settings into those that apply at once and those that need approval. `file` is `.vectorcode/config.toml` below the
/// root.
pub(super) fn classify(file: &Path, settings: &[(String, Value)]) -> ClassifiedSettings {
    let root = root_of(file);
    let mut classified = ClassifiedSettings::default();
    for (key, value) in settings {
        let risk = risk_or_worst(key);
        let (harmless, sensitive) = classify_value(&root, risk, value);
        classified.ignored.extend((risk == Risk::UserOnly).then(|| key.clone()));
        classified.harmless.extend(harmless.map(|value| (key.clone(), value)));
        let setting = |value| SensitiveSetting { key: key.clone(), value, risk };
        classified.sensitive.settings.extend(sensitive.map(setting));
    }
    classified.sensitive.settings.sort_by(|a, b| a.key.cmp(&b.key));
    classified.sensitive.root = root;
    classified
}

fn classify_value(root: &Path, risk: Risk, value: &Value) -> (Option<Value>, Option<Value>) {
    let (harmless, sensitive) = (|| (Some(value.clone()), None), || (None, Some(value.clone())));
    match (risk, value) {
        (Risk::None, _) => harmless(),
        (Risk::UserOnly, _) => (None, None),
        (Risk::Provider, Value::String(name)) if *name == ProviderName::Onnx.as_str() => harmless(),
        (Risk::Reranker, Value::String(name)) if *name == RerankerName::None.as_str() => harmless(),
        (Risk::OtherProjects, Value::Array(paths)) => {
            let is_inside = |path: &Value| path.as_str().is_some_and(|path| is_inside(root, Path::new(path)));
            let (inside, outside): (Vec<_>, Vec<_>) = paths.iter().cloned().partition(is_inside);
            // If the whole list is withheld, it is not set to an empty one, because that would override the list in the
            // user's own file.
            let counts = !inside.is_empty() || outside.is_empty();
            (counts.then_some(Value::Array(inside)), (!outside.is_empty()).then_some(Value::Array(outside)))
        }
        (Risk::FileSize, Value::Integer(bytes)) if *bytes <= MAX_PROJECT_FILE_SIZE => harmless(),
        // An empty key can do no more harm than an absent one.
        (Risk::Key, Value::String(key)) if key.is_empty() => harmless(),
        _ => sensitive(),
    }
}

fn root_of(file: &Path) -> PathBuf {
    let root = file.parent().and_then(Path::parent).unwrap_or(Path::new(""));
    canonical(root).unwrap_or_else(|_| root.to_path_buf())
}

/// Whether a path is inside the root. Symbolic links are resolved first; a path that does not exist is judged by its name.
fn is_inside(root: &Path, path: &Path) -> bool {
    let by_name = || !path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
    canonical(&root.join(path)).map_or_else(|_| by_name(), |real| real.starts_with(root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys;
    use crate::config::keys::leaves;

    fn classified(root: &Path, text: &str) -> ClassifiedSettings {
        classify(&root.join(".vectorcode/config.toml"), &leaves(&toml::from_str(text).unwrap()))
    }

    #[test]
    fn every_key_is_classified() {
        let missing: Vec<&str> =
            keys().iter().map(|key| key.name.as_str()).filter(|key| risk_of(key).is_none()).collect();
        assert!(missing.is_empty(), "decide in RISKS what a hostile project could do with {missing:?}");
        let gone: Vec<&str> =
            RISKS.iter().map(|(key, _)| *key).filter(|key| find_key(key).is_none()).collect();
        assert!(gone.is_empty(), "these keys no longer exist: {gone:?}");
    }

    #[test]
    fn what_shapes_the_index_is_harmless() {
        let dir = tempfile::tempdir().unwrap();
        let classified = classified(
            dir.path(),
            "linked_projects = [\"sub\"]\n[provider]\nname = \"onnx\"\n[provider.openai]\napi_key = \"\"\n\
             [search]\ndefault_limit = 3\n[[artifacts]]\nname = \"a\"\npath = \"a.md\"\n",
        );
        assert!(classified.sensitive.is_empty(), "{:?}", classified.sensitive);
        assert_eq!(classified.harmless.len(), 5);
    }

    #[test]
    fn what_sends_or_reaches_out_is_withheld_and_told_without_its_secrets() {
        let dir = tempfile::tempdir().unwrap();
        let classified = classified(
            dir.path(),
            "linked_projects = [\"sub\", \"../other\", \"/etc\"]\n[provider]\nname = \"openai\"\n\
             [provider.openai]\nbase_url = \"http://me:pass@elsewhere/v1\"\nmodel = \"m\"\napi_key = \"sk-theirs\"\n\
             [provider.onnx]\nmodel_path = \"model.onnx\"\n",
        );
        assert_eq!(classified.harmless.len(), 1, "the linked project inside: {:?}", classified.harmless);
        let note = classified.sensitive.note();
        for told in [
            "linked_projects = [\"../other\", \"/etc\"]",
            "provider.name = \"openai\"",
            "elsewhere/v1",
            "model_path",
        ] {
            assert!(note.contains(told), "{told} in {note}");
        }
        assert!(!note.contains("sk-theirs") && !note.contains("pass"), "{note}");
    }

    #[test]
    fn no_project_says_where_indexes_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let classified = classified(dir.path(), "[store]\nurl = \"postgres://evil/db\"\nnamespace = \"x\"\n");
        assert!(classified.sensitive.is_empty() && classified.harmless.is_empty(), "{classified:?}");
        assert_eq!(classified.ignored, ["store.namespace", "store.url"]);
    }

    #[test]
    fn a_project_may_raise_the_size_of_its_files_within_bounds() {
        let dir = tempfile::tempdir().unwrap();
        let with_size = |bytes: u64| classified(dir.path(), &format!("[indexing]\nmax_file_size = {bytes}"));
        assert!(with_size(4 << 20).sensitive.is_empty());
        let withheld = with_size(1 << 30);
        assert!(withheld.harmless.is_empty());
        assert!(withheld.sensitive.note().contains("indexing.max_file_size = 1073741824"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_inside_the_root_is_where_it_leads() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", dir.path().join("inside")).unwrap();
        assert!(!classified(dir.path(), "linked_projects = [\"inside\"]").sensitive.is_empty());
    }

    #[test]
    fn the_fingerprint_is_of_the_root_and_every_value() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let print = |dir: &tempfile::TempDir, url: &str| {
            let text = format!(
                "[provider.openai]\nbase_url = \"{url}\"\napi_key = \"k\"\n[search]\ndefault_limit = 1"
            );
            classified(dir.path(), &text).sensitive.fingerprint()
        };
        assert_eq!(print(&here, "http://a"), print(&here, "http://a"));
        assert_ne!(print(&here, "http://a"), print(&here, "http://b"));
        assert_ne!(print(&here, "http://a"), print(&there, "http://a"));
    }
}
