//! The names of settings: which exist, and what a misspelt one may have meant.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::Config;

/// Every dotted key with its value. Lists and tables of free form count as one value.
pub(super) fn leaves(table: &Table) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    collect(table, "", &mut found);
    found
}

fn collect(table: &Table, prefix: &str, found: &mut Vec<(String, Value)>) {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(inner) => collect(inner, &key, found),
            other => found.push((key, other.clone())),
        }
    }
}

/// Every key that exists, in alphabetical order, with its default as TOML; `None` for one that is unset.
pub fn known_keys() -> Vec<(String, Option<Value>)> {
    let defaults: Vec<(String, Value)> = leaves(&as_table(&Config::default()));
    let find = |key: &str| defaults.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    let mut keys: Vec<String> =
        leaves(&as_table(&with_every_option())).into_iter().map(|(key, _)| key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| (key.clone(), find(&key))).collect()
}

pub(super) fn unknown(table: &Table) -> Vec<String> {
    let known = known_keys();
    let is_known = |key: &String| known.iter().any(|(name, _)| name == key);
    leaves(table).into_iter().map(|(key, _)| key).filter(|key| !is_known(key)).collect()
}

pub(super) fn unknown_key_warning(key: &str, path: &Path) -> String {
    let nearest = known_keys()
        .into_iter()
        .map(|(known, _)| (strsim::normalized_damerau_levenshtein(key, &known), known))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(similarity, _)| *similarity > 0.5);
    let meant = nearest.map_or_else(String::new, |(_, known)| format!("; did you mean `{known}`?"));
    format!("unknown key `{key}` in {}{meant}", path.display())
}

/// The configuration as TOML shows it.
pub fn as_table(config: &Config) -> Table {
    match Value::try_from(config) {
        Ok(Value::Table(table)) => table,
        other => unreachable!("a configuration is always a table, not {other:?}"),
    }
}

/// TOML leaves unset options out; to name all keys, each needs some value.
fn with_every_option() -> Config {
    let mut config = Config::default();
    let onnx = &mut config.provider.onnx;
    onnx.model_path = Some(PathBuf::new());
    onnx.tokenizer_path = Some(PathBuf::new());
    onnx.dimensions = Some(0);
    onnx.threads = Some(0);
    config.provider.openai.send_dimensions = Some(false);
    config.provider.openai.batch_size = Some(0);
    config.watcher.poll_secs = Some(0);
    config
}
