//! Merges the layers of configuration: defaults, the user's file, the project's file, environment, flags.
//! A later layer takes precedence, and each value records its layer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::environment::variables;
use super::{Config, ConfigError};

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

/// A value set on the command line: `provider.name`, the new value, and the flag's name.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    pub key: &'static str,
    pub value: Value,
    pub flag: &'static str,
}

/// Where to look for settings.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub user_file: Option<PathBuf>,
    pub project_file: Option<PathBuf>,
    pub environment: BTreeMap<String, String>,
    pub overrides: Vec<Override>,
}

/// The configuration in force.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    pub config: Config,
    /// Every dotted key that some layer set. Keys that are not here have their default.
    pub origins: BTreeMap<String, Origin>,
    /// Unknown keys and the like, as sentences.
    pub warnings: Vec<String>,
}

impl Resolved {
    pub fn origin(&self, key: &str) -> &Origin {
        self.origins.get(key).unwrap_or(&Origin::Default)
    }
}

/// Reads and merges all layers. A missing file is an empty one.
pub fn load(sources: &Sources) -> Result<Resolved, ConfigError> {
    let mut layers = Layers::default();
    for path in [&sources.user_file, &sources.project_file].into_iter().flatten() {
        layers.add_file(path)?;
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
}

impl Layers {
    fn add_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let text = match crate::read_config_file(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(ConfigError::Unreadable { path: path.to_path_buf(), source }),
        };
        let invalid = |error: &toml::de::Error| ConfigError::invalid(path, &text, error);
        let table: Table = toml::from_str(&text).map_err(|error| invalid(&error))?;
        // Read as a whole configuration once, because only here a wrong type still has a line number.
        toml::from_str::<Config>(&text).map_err(|error| invalid(&error))?;
        for key in super::keys::unknown(&table) {
            self.warnings.push(super::keys::unknown_key_warning(&key, path));
        }
        for (key, value) in super::keys::leaves(&table) {
            self.set(&key, value, Origin::File(path.to_path_buf()));
        }
        Ok(())
    }

    fn add_environment(&mut self, environment: &BTreeMap<String, String>) -> Result<(), ConfigError> {
        for (variable, key, kind) in variables() {
            let Some(text) = environment.get(variable).filter(|text| !text.is_empty()) else { continue };
            let value =
                kind.parse(text).ok_or_else(|| ConfigError::BadVariable { variable, value: text.clone() })?;
            self.set(&key, value, Origin::Environment(variable.into()));
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
        // Files were checked one by one: what fails here came from the environment or a flag.
        let config = Config::deserialize(Value::Table(self.merged))
            .map_err(|error| ConfigError::BadValue { message: error.message().into() })?;
        Ok(Resolved { config, origins: self.origins, warnings: self.warnings })
    }
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
        };
        let resolved = load(&sources).unwrap();
        assert_eq!(resolved.config.search.default_limit, 7);
        assert!((resolved.config.search.default_threshold - 0.1).abs() < 1e-6);
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
    fn a_bad_variable_names_itself() {
        let environment = BTreeMap::from([("VECTORCODE_DEBOUNCE_MS".into(), "soon".into())]);
        let error = load(&Sources { environment, ..Sources::default() }).unwrap_err();
        assert!(error.to_string().contains("VECTORCODE_DEBOUNCE_MS"));
        let environment = BTreeMap::from([("VECTORCODE_PROVIDER".into(), "acme".into())]);
        assert!(load(&Sources { environment, ..Sources::default() }).is_err());
    }
}
