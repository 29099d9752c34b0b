//! The environment variables that set a key.

use std::borrow::Cow;

use toml::Value;

use super::{ProviderName, RerankServerConfig};

/// How the text of an environment variable is parsed.
#[derive(Clone, Copy)]
pub(super) enum VariableType {
    Text,
    Flag,
    Number,
}

impl VariableType {
    pub(super) fn parse(self, value: &str) -> Option<Value> {
        match (self, value) {
            (Self::Text, _) => Some(Value::String(value.into())),
            (Self::Flag, "1" | "true" | "yes") => Some(Value::Boolean(true)),
            (Self::Flag, "0" | "false" | "no") => Some(Value::Boolean(false)),
            (Self::Flag, _) => None,
            (Self::Number, _) => value.parse().ok().map(Value::Integer),
        }
    }
}

/// Which variable sets which key, beside the API keys of providers.
const SETTINGS: [(&str, &str, VariableType); 4] = [
    ("VECTORCODE_PROVIDER", "provider.name", VariableType::Text),
    ("VECTORCODE_NO_WATCH", "watcher.disabled", VariableType::Flag),
    ("VECTORCODE_DEBOUNCE_MS", "watcher.debounce_ms", VariableType::Number),
    (RerankServerConfig::KEY_VARIABLE, "rerank.server.api_key", VariableType::Text),
];

/// Every variable that sets a key, with that key.
pub(super) fn variables() -> impl Iterator<Item = (&'static str, Cow<'static, str>, VariableType)> {
    let api_keys = ProviderName::ALL.into_iter().filter_map(|provider| {
        let key = format!("provider.{}.api_key", provider.as_str());
        Some((provider.key_variable()?, key.into(), VariableType::Text))
    });
    api_keys.chain(SETTINGS.map(|(variable, key, kind)| (variable, key.into(), kind)))
}

/// The environment variable that takes precedence over a key in a file.
pub(super) fn variable_of(key: &str) -> Option<&'static str> {
    variables().find(|(_, known, _)| known == key).map(|(variable, _, _)| variable)
}
