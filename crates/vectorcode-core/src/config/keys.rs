//! The names of settings: which keys exist, what each is for, and what a misspelt key may have meant.
//!
//! Everything here is derived from the schema of [`Config`], so a new field needs no second entry.

use std::path::Path;
use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::Value as Json;
use toml::{Table, Value};

use super::{Config, environment};

/// One key of `config.toml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The full name, with its sections: `search.default_limit`.
    pub name: String,
    /// What the key sets, as sentences.
    pub description: String,
    /// `None` for a key that is unset by default.
    pub default: Option<Value>,
    /// A value to show if the default is not instructive.
    pub example: Option<Value>,
    /// An environment variable with a special name that takes precedence over the file. Every key also has one named by rule:
    /// see [`variables_of`](super::variables_of).
    pub variable: Option<&'static str>,
    /// Whether the value must never be displayed.
    pub is_secret: bool,
}

impl Key {
    /// `search` of `search.default_limit`; empty at the top level.
    pub fn section(&self) -> &str {
        self.name.rsplit_once('.').map_or("", |(section, _)| section)
    }

    /// `default_limit` of `search.default_limit`.
    pub fn last_name(&self) -> &str {
        self.name.rsplit_once('.').map_or(&self.name, |(_, name)| name)
    }
}

/// A table of `config.toml`, such as `[search]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    pub description: String,
}

#[derive(Default)]
struct Reference {
    sections: Vec<Section>,
    keys: Vec<Key>,
}

static REFERENCE: LazyLock<Reference> = LazyLock::new(|| {
    let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<Config>();
    let defaults = as_table(&Config::default());
    let mut reference = Reference::default();
    reference.collect("", schema.as_value(), &Value::Table(defaults));
    reference.order();
    reference
});

/// Every key, in the order of the commented file.
pub fn keys() -> &'static [Key] {
    &REFERENCE.keys
}

/// Every section, in the order of the commented file; the top level comes first and has no name.
pub fn sections() -> &'static [Section] {
    &REFERENCE.sections
}

/// The key with this name.
pub fn find_key(name: &str) -> Option<&'static Key> {
    keys().iter().find(|key| key.name == name)
}

impl Reference {
    fn collect(&mut self, name: &str, schema: &Json, defaults: &Value) {
        let description = text(schema, "description");
        let Some(properties) = schema.get("properties").and_then(Json::as_object) else { return };
        self.sections.push(Section { name: name.into(), description });
        for (property, schema) in properties {
            let full = if name.is_empty() { property.clone() } else { format!("{name}.{property}") };
            let default = defaults.get(property);
            match default {
                Some(table @ Value::Table(_)) => self.collect(&full, schema, table),
                _ => self.keys.push(key(full, schema, default.cloned())),
            }
        }
    }

    /// Sorts keys in the order of the fields of [`Config`]. The schema does not keep that order, but the TOML text does. Keys
    /// that are unset by default come last in their section.
    fn order(&mut self) {
        let text = toml::to_string(&Config::default()).unwrap_or_default();
        let mut section = String::new();
        let mut order = Vec::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = name.into();
                order.push(section.clone());
            } else if let Some((name, _)) = line.split_once(" = ") {
                order.push(if section.is_empty() { name.into() } else { format!("{section}.{name}") });
            }
        }
        let position = |name: &str| order.iter().position(|known| known == name);
        self.sections.sort_by_key(|section| (!section.name.is_empty(), position(&section.name)));
        let section_of = |key: &Key| (!key.section().is_empty(), position(key.section()));
        self.keys.sort_by_key(|key| (section_of(key), position(&key.name).unwrap_or(usize::MAX)));
    }
}

fn key(name: String, schema: &Json, default: Option<Value>) -> Key {
    let mut description = text(schema, "description").replace('\n', " ");
    if let Some(words) = schema.get("enum").and_then(Json::as_array) {
        let words: Vec<&str> = words.iter().filter_map(Json::as_str).collect();
        description = format!("{description} One of: {}.", words.join(", "));
    }
    let example = schema.get("examples").and_then(|examples| examples.get(0));
    Key {
        description,
        example: example.and_then(|example| Value::try_from(example).ok()),
        variable: environment::named_variable(&name),
        is_secret: schema.get("writeOnly").is_some(),
        default,
        name,
    }
}

fn text(schema: &Json, property: &str) -> String {
    schema.get(property).and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// Every dotted key with its value. Lists and free-form tables count as one value.
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

pub(super) fn unknown(table: &Table) -> Vec<String> {
    leaves(table).into_iter().map(|(key, _)| key).filter(|key| find_key(key).is_none()).collect()
}

/// Settings of codevec that vectorcode does not have, and what to use instead.
const CODEVEC_KEYS: [(&str, &str); 5] = [
    ("chunk_max_tokens", "chunks follow the syntax; their size is not a setting"),
    (
        "chunk_overlap",
        "only the parts of an item that is too large overlap, by a few lines; that is not a setting",
    ),
    ("model", "set `provider.name`, and the `model` of that provider's section"),
    ("languages", "all languages are indexed; filter a search by `--language`"),
    ("ignore", "set `indexing.ignore`"),
];

pub(super) fn unknown_key_warning(key: &str, path: &Path) -> String {
    let name = key.strip_prefix("indexing").and_then(|rest| rest.strip_prefix('.')).unwrap_or(key);
    if let Some((_, instead)) = CODEVEC_KEYS.iter().find(|(known, _)| *known == name) {
        return format!("`{key}` in {} has no effect: {instead}", path.display());
    }
    let meant =
        similar_key(key).map_or_else(String::new, |known| format!("; did you mean `{}`?", known.name));
    format!("unknown key `{key}` in {}{meant}", path.display())
}

/// The known key that is most similar to a misspelt one.
pub fn similar_key(name: &str) -> Option<&'static Key> {
    keys()
        .iter()
        .map(|key| (strsim::normalized_damerau_levenshtein(name, &key.name), key))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(similarity, _)| *similarity > 0.5)
        .map(|(_, key)| key)
}

/// The configuration as a TOML table.
pub fn as_table(config: &Config) -> Table {
    match Value::try_from(config) {
        Ok(Value::Table(table)) => table,
        other => unreachable!("a configuration is always a table, not {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProviderName;

    #[test]
    fn every_key_has_a_description() {
        for key in keys() {
            assert!(key.description.ends_with('.'), "{}: {:?}", key.name, key.description);
            assert!(key.default.is_some() || key.example.is_some(), "{} has no example", key.name);
        }
        for section in sections().iter().filter(|section| !section.name.is_empty()) {
            assert!(section.description.ends_with('.'), "{section:?}");
        }
    }

    #[test]
    fn every_provider_has_a_table_with_a_model_and_dimensions() {
        for provider in ProviderName::ALL {
            let key = |setting: &str| find_key(&format!("provider.{}.{setting}", provider.as_str()));
            assert!(key("model").is_some() && key("dimensions").is_some(), "{provider:?}");
            let variable = key("api_key").map(|key| key.variable);
            assert_eq!(variable, provider.key_variable().map(Some), "{provider:?}");
        }
    }

    #[test]
    fn keys_keep_the_order_of_the_file_and_know_their_facts() {
        let names: Vec<&str> = keys().iter().map(|key| key.name.as_str()).collect();
        let place = |name: &str| names.iter().position(|known| *known == name).unwrap();
        assert!(place("provider.name") < place("provider.onnx.model"));
        assert!(place("provider.onnx.max_tokens") < place("provider.onnx.threads"));
        assert!(place("indexing.max_file_size") < place("search.default_limit"));
        assert!(find_key("provider.openai.api_key").unwrap().is_secret);
        assert_eq!(find_key("provider.openai.api_key").unwrap().variable, Some("OPENAI_API_KEY"));
        assert_eq!(find_key("search.default_limit").unwrap().default, Some(10.into()));
        assert_eq!(find_key("search.default_threshold").unwrap().default, None);
        assert!(find_key("provider.name").unwrap().description.ends_with("ollama, openai, voyage."));
        assert_eq!(sections()[0].name, "");
    }
}
