//! The environment variables that set a key.

use toml::Value;

use super::{GeminiConfig, OpenAiConfig, VoyageConfig};

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

/// Which variable sets which key.
pub(super) const ENVIRONMENT: [(&str, &str, VariableType); 6] = [
    (GeminiConfig::KEY_VARIABLE, "provider.gemini.api_key", VariableType::Text),
    (OpenAiConfig::KEY_VARIABLE, "provider.openai.api_key", VariableType::Text),
    (VoyageConfig::KEY_VARIABLE, "provider.voyage.api_key", VariableType::Text),
    ("VECTORCODE_PROVIDER", "provider.name", VariableType::Text),
    ("VECTORCODE_NO_WATCH", "watcher.disabled", VariableType::Flag),
    ("VECTORCODE_DEBOUNCE_MS", "watcher.debounce_ms", VariableType::Number),
];

/// The environment variable that takes precedence over a key in a file.
pub(super) fn variable_of(key: &str) -> Option<&'static str> {
    ENVIRONMENT.iter().find(|(_, known, _)| *known == key).map(|(variable, _, _)| *variable)
}
