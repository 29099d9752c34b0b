//! Merges the layers of configuration: defaults, the user's file, the project's file, environment, flags. A later layer takes
//! precedence, and the origin of each value is recorded. From the project's file, only settings that need no approval or that
//! the user has approved are merged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::environment::{parse, variables_of};
use super::trust::{self, SensitiveSettings};
use super::{Approvals, Config, ConfigError, OnnxConfig};
use crate::private_files::{self, Links, MAX_CONFIG_FILE_BYTES};
use crate::visible_line;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "from", content = "at")]
pub enum Origin {
    Default,
    File(PathBuf),
    Environment(String),
    Flag(String),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(variable) => write!(f, "environment {variable}"),
            Self::Flag(flag) => write!(f, "flag {flag}"),
        }
    }
}

/// A value set on the command line: the key (`provider.name`), the new value, and the name of the flag.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    pub key: &'static str,
    pub value: Value,
    pub flag: &'static str,
}

/// Where to read settings from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub user_file: Option<PathBuf>,
    /// `.vectorcode/config.toml` below the project's root.
    pub project_file: Option<PathBuf>,
    /// The user's record of approved projects; without it, no project is trusted.
    pub trust_file: Option<PathBuf>,
    pub environment: BTreeMap<String, String>,
    pub overrides: Vec<Override>,
}

/// The settings of the project's file that need the user's approval.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectTrust {
    pub asked: SensitiveSettings,
    /// If false, none of them is in effect.
    pub approved: bool,
}

/// The configuration in effect.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    pub config: Config,
    /// Every dotted key that some layer set. All other keys have their default.
    pub origins: BTreeMap<String, Origin>,
    /// Unknown keys and similar problems, as sentences.
    pub warnings: Vec<String>,
    /// `None` if nothing in the project's file needs approval.
    pub trust: Option<ProjectTrust>,
}

/// A configuration that was not loaded from files.
impl From<Config> for Resolved {
    fn from(config: Config) -> Self {
        Self { config, ..Self::default() }
    }
}

impl Resolved {
    pub fn origin(&self, key: &str) -> &Origin {
        self.origins.get(key).unwrap_or(&Origin::Default)
    }

    /// The settings of the project's file that are not in effect because the user has not approved them.
    pub fn withheld(&self) -> Option<&SensitiveSettings> {
        self.trust.as_ref().filter(|trust| !trust.approved).map(|trust| &trust.asked)
    }
}

/// Reads and merges all layers. A missing file counts as empty.
pub fn load(sources: &Sources) -> Result<Resolved, ConfigError> {
    let mut layers = Layers::default();
    if let Some(path) = &sources.user_file {
        layers.add_user_file(path)?;
    }
    if let Some(path) = &sources.project_file {
        layers.add_project_file(path, sources.trust_file.as_deref())?;
    }
    layers.add_environment(&sources.environment)?;
    for change in &sources.overrides {
        layers.set(change.key, change.value.clone(), Origin::Flag(change.flag.into()));
    }
    layers.resolve()
}

#[derive(Default)]
struct Layers {
    merged: Table,
    origins: BTreeMap<String, Origin>,
    warnings: Vec<String>,
    trust: Option<ProjectTrust>,
}

impl Layers {
    fn add_user_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let settings = self.read_file(path, Links::Follow)?;
        self.set_all(path, settings);
        Ok(())
    }

    fn add_project_file(&mut self, path: &Path, trust_file: Option<&Path>) -> Result<(), ConfigError> {
        let mut settings = self.read_file(path, Links::Refuse)?;
        let trust::ClassifiedSettings { harmless, sensitive, ignored } = trust::classify(path, &settings);
        settings.retain(|(key, _)| !ignored.contains(key));
        for key in ignored {
            let warning = format!("{}: `{key}` has no effect in a project's file", path.display());
            self.warnings.push(visible_line(&warning).into_owned());
        }
        if sensitive.is_empty() {
            self.set_all(path, settings);
            return Ok(());
        }
        let approved = self.is_approved(&sensitive, trust_file);
        self.set_all(path, if approved { settings } else { harmless });
        self.trust = Some(ProjectTrust { asked: sensitive, approved });
        Ok(())
    }

    /// If the record of approvals cannot be read, nothing is approved.
    fn is_approved(&mut self, settings: &SensitiveSettings, trust_file: Option<&Path>) -> bool {
        let Some(file) = trust_file else { return false };
        Approvals::new(file.to_path_buf()).holds(settings).unwrap_or_else(|error| {
            self.warnings.push(error.to_string());
            false
        })
    }

    fn set_all(&mut self, path: &Path, settings: Vec<(String, Value)>) {
        for (key, value) in settings {
            self.set(&key, value, Origin::File(path.to_path_buf()));
        }
    }

    /// Every key of a file with its value; empty if the file is missing.
    fn read_file(&mut self, path: &Path, links: Links) -> Result<Vec<(String, Value)>, ConfigError> {
        let text = match private_files::read_text(path, MAX_CONFIG_FILE_BYTES, links) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(ConfigError::Unreadable { path: path.to_path_buf(), source }),
        };
        let invalid = |error: &toml::de::Error| ConfigError::invalid(path, &text, error);
        let table: Table = toml::from_str(&text).map_err(|error| invalid(&error))?;
        // Parsed as a complete configuration first: only here does an error about a wrong type still have a line number.
        toml::from_str::<Config>(&text).map_err(|error| invalid(&error))?;
        for key in super::keys::unknown(&table) {
            let warning = super::keys::unknown_key_warning(&key, path);
            self.warnings.push(visible_line(&warning).into_owned());
        }
        Ok(super::keys::leaves(&table))
    }

    fn add_environment(&mut self, environment: &BTreeMap<String, String>) -> Result<(), ConfigError> {
        for key in super::keys() {
            for variable in variables_of(&key.name) {
                let Some(text) = environment.get(&variable).filter(|text| !text.is_empty()) else { continue };
                let value =
                    parse(&variable, text, key.default.as_ref().or(key.example.as_ref())).ok_or_else(
                        || ConfigError::BadVariable { variable: variable.clone(), value: text.clone() },
                    )?;
                self.set(&key.name, value, Origin::Environment(variable));
            }
        }
        Ok(())
    }

    fn set(&mut self, key: &str, value: Value, origin: Origin) {
        self.origins.insert(key.into(), origin);
        let mut table = &mut self.merged;
        let mut parts = key.split('.').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                table.insert(part.into(), value);
                return;
            }
            let next = table.entry(part).or_insert_with(|| Value::Table(Table::new()));
            let Value::Table(inner) = next else { return };
            table = inner;
        }
    }

    fn resolve(self) -> Result<Resolved, ConfigError> {
        // The files have been checked already, so an error here comes from the environment or a flag.
        let mut config = Config::deserialize(Value::Table(self.merged))
            .map_err(|error| ConfigError::BadValue { message: error.message().into() })?;
        let mut warnings = self.warnings;
        warnings.extend(replace_specified_model(&mut config.provider.onnx));
        Ok(Resolved { config, origins: self.origins, warnings, trust: self.trust })
    }
}

/// The specification names a model that is not bundled. Settings that name it get the bundled model and a warning.
fn replace_specified_model(onnx: &mut OnnxConfig) -> Option<String> {
    const SPECIFIED: &str = "all-MiniLM-L6-v2";
    let name = onnx.model.rsplit('/').next().unwrap_or_default();
    if onnx.model_path.is_some() || !name.eq_ignore_ascii_case(SPECIFIED) {
        return None;
    }
    onnx.model = OnnxConfig::default().model;
    Some(format!(
        "provider.onnx.model: {SPECIFIED} is not bundled; {} takes its place, a model of the same family that was trained \
         on code. For {SPECIFIED} itself set model_path and tokenizer_path.",
        onnx.model
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProviderName;

    fn file(directory: &Path, name: &str, text: &str) -> PathBuf {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn later_layers_win_and_say_so() {
        let dir = tempfile::tempdir().unwrap();
        let sources = Sources {
            user_file: Some(file(
                dir.path(),
                "user.toml",
                "[search]\ndefault_limit = 3\ndefault_threshold = 0.1\n",
            )),
            project_file: Some(file(dir.path(), "project.toml", "[search]\ndefault_limit = 7\n")),
            environment: BTreeMap::from([("VECTORCODE_DEBOUNCE_MS".into(), "500".into())]),
            overrides: vec![Override { key: "provider.name", value: "ollama".into(), flag: "--provider" }],
            trust_file: None,
        };
        let resolved = load(&sources).unwrap();
        assert_eq!(resolved.config.search.default_limit, 7);
        assert_eq!(resolved.config.search.default_threshold, Some(0.1));
        assert_eq!(resolved.config.watcher.debounce_ms, 500);
        assert_eq!(resolved.config.provider.name, ProviderName::Ollama);
        assert_eq!(
            resolved.origin("search.default_limit").to_string(),
            sources.project_file.unwrap().display().to_string()
        );
        assert_eq!(resolved.origin("watcher.debounce_ms").to_string(), "environment VECTORCODE_DEBOUNCE_MS");
        assert_eq!(resolved.origin("provider.name").to_string(), "flag --provider");
        assert_eq!(resolved.origin("indexing.concurrency"), &Origin::Default);
    }

    #[test]
    fn no_files_give_the_defaults() {
        let sources = Sources { project_file: Some("/nowhere/config.toml".into()), ..Sources::default() };
        assert_eq!(load(&sources).unwrap().config, Config::default());
    }

    #[test]
    fn an_unknown_key_is_reported_with_its_nearest_known_one() {
        let dir = tempfile::tempdir().unwrap();
        let path =
            file(dir.path(), "config.toml", "[search]\ndefault_limits = 5\n[provider.onnx]\nthreads = 2\n");
        let resolved = load(&Sources { project_file: Some(path), ..Sources::default() }).unwrap();
        assert_eq!(resolved.warnings.len(), 1, "{:?}", resolved.warnings);
        assert!(resolved.warnings[0].contains("`search.default_limits`"));
        assert!(resolved.warnings[0].contains("did you mean `search.default_limit`?"));
    }

    #[test]
    fn a_syntax_error_shows_line_and_column() {
        let dir = tempfile::tempdir().unwrap();
        let path = file(dir.path(), "config.toml", "[search]\ndefault_limit = = 5\n");
        let error = load(&Sources { project_file: Some(path), ..Sources::default() }).unwrap_err();
        assert!(error.to_string().contains("config.toml:2:17"), "{error}");
    }

    #[test]
    fn a_wrong_type_shows_line_and_column() {
        let dir = tempfile::tempdir().unwrap();
        let path = file(dir.path(), "config.toml", "[search]\ndefault_limit = \"many\"\n");
        let error = load(&Sources { user_file: Some(path), ..Sources::default() }).unwrap_err();
        assert!(error.to_string().contains("config.toml:2:17"), "{error}");
    }

    #[test]
    fn sensitive_settings_of_a_project_wait_for_approval_and_harmless_ones_do_not() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".vectorcode")).unwrap();
        let text = "[provider]\nname = \"openai\"\n[provider.openai]\nbase_url = \"http://elsewhere/v1\"\n\
                    [search]\ndefault_limit = 7\n";
        let project_file = file(dir.path(), ".vectorcode/config.toml", text);
        let sources = Sources {
            user_file: Some(file(dir.path(), "user.toml", "[provider.openai]\napi_key = \"mine\"\n")),
            project_file: Some(project_file.clone()),
            trust_file: Some(dir.path().join("data/trust.json")),
            ..Sources::default()
        };
        let untrusted = load(&sources).unwrap();
        assert_eq!(untrusted.config.provider.name, ProviderName::Onnx);
        assert_eq!(untrusted.config.provider.openai.base_url, Config::default().provider.openai.base_url);
        assert_eq!(untrusted.config.search.default_limit, 7);
        assert_eq!(untrusted.origin("provider.name"), &Origin::Default);
        let asked = untrusted.withheld().unwrap();
        Approvals::new(dir.path().join("data/trust.json")).add(asked).unwrap();
        let trusted = load(&sources).unwrap();
        assert_eq!(trusted.config.provider.openai.base_url, "http://elsewhere/v1");
        assert_eq!((trusted.config.provider.name, trusted.withheld()), (ProviderName::OpenAi, None));
        std::fs::write(&project_file, text.replace("elsewhere", "yonder")).unwrap();
        let changed = load(&sources).unwrap();
        assert_eq!(changed.config.provider.name, ProviderName::Onnx, "a change asks again");
        assert!(changed.withheld().unwrap().note().contains("http://yonder/v1"));
    }

    #[test]
    fn every_setting_has_a_variable_that_sets_it() {
        let environment = BTreeMap::from([
            ("VECTORCODE_SEARCH_DEFAULT_LIMIT".into(), "7".into()),
            ("VECTORCODE_SEARCH_DEFAULT_THRESHOLD".into(), "0.5".into()),
            ("VECTORCODE_INDEXING_EXCLUDE_DIRS".into(), "out, gen".into()),
            ("VECTORCODE_INDEXING_AUTO_INDEX".into(), "off".into()),
            ("VECTORCODE_PROVIDER_ONNX_THREADS".into(), "3".into()),
            ("OLLAMA_URL".into(), "http://elsewhere:1".into()),
            ("OLLAMA_HOST".into(), "0.0.0.0".into()),
            ("OLLAMA_API_KEY".into(), "k".into()),
        ]);
        let resolved = load(&Sources { environment, ..Sources::default() }).unwrap();
        let config = &resolved.config;
        assert_eq!((config.search.default_limit, config.provider.onnx.threads), (7, Some(3)));
        assert!(config.search.default_threshold == Some(0.5) && !config.indexing.auto_index);
        assert_eq!(config.indexing.exclude_dirs, ["out", "gen"]);
        assert_eq!(config.provider.ollama.url, "http://127.0.0.1:11434", "Ollama's own name wins");
        assert_eq!(config.provider.ollama.api_key.expose(), "k");
        assert_eq!(resolved.origin("provider.ollama.url").to_string(), "environment OLLAMA_HOST");
    }

    #[test]
    fn the_model_of_the_specification_is_replaced_with_a_note() {
        let dir = tempfile::tempdir().unwrap();
        let path = file(
            dir.path(),
            "user.toml",
            "[provider.onnx]\nmodel = \"sentence-transformers/all-MiniLM-L6-v2\"\n",
        );
        let resolved = load(&Sources { user_file: Some(path), ..Sources::default() }).unwrap();
        assert_eq!(resolved.config, Config::default());
        assert!(resolved.warnings[0].contains("code-minilm-l4 takes its place"), "{:?}", resolved.warnings);
    }

    #[test]
    fn a_bad_variable_names_itself() {
        let environment = BTreeMap::from([("VECTORCODE_DEBOUNCE_MS".into(), "soon".into())]);
        let error = load(&Sources { environment, ..Sources::default() }).unwrap_err();
        assert!(error.to_string().contains("VECTORCODE_DEBOUNCE_MS"));
        let environment = BTreeMap::from([("VECTORCODE_PROVIDER".into(), "acme".into())]);
        assert!(load(&Sources { environment, ..Sources::default() }).is_err());
    }
}
