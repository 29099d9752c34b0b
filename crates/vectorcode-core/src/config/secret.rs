//! A value that is used but never displayed.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// An API key. `Debug` hides it, so no log line or panic message can contain it. Serializing does include it; code that
/// prints settings uses [`Secret::shown`] instead.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Secret(String);

impl Secret {
    /// The value itself, for the code that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What may be displayed: whether a value is set.
    pub fn shown(&self) -> &'static str {
        if self.is_empty() { "" } else { "[redacted]" }
    }
}

/// `writeOnly` marks a key whose value is never shown; see [`super::Key::is_secret`].
impl schemars::JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "writeOnly": true})
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value.trim().to_owned())
    }
}

impl From<Secret> for String {
    fn from(secret: Secret) -> Self {
        secret.0
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        value.to_owned().into()
    }
}

/// The value of a setting for display. API keys are hidden, and so are user names and passwords in URLs.
pub fn shown_value(key: &str, value: Option<&toml::Value>) -> String {
    match value {
        None => "(unset)".into(),
        Some(toml::Value::String(text)) if key.ends_with("api_key") => {
            if text.is_empty() { "(unset)" } else { "(hidden)" }.into()
        }
        Some(toml::Value::String(text)) => toml::Value::from(without_password(text).as_ref()).to_string(),
        Some(value) => value.to_string(),
    }
}

/// A URL with its user name and password replaced: `http://(hidden)@host/v1`.
pub fn without_password(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else { return url.into() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rfind('@').map_or(url.into(), |at| format!("{scheme}://(hidden)@{}", &rest[at + 1..]).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_passwords() {
        assert_eq!(without_password("https://ada:s3cret@host:8080/v1"), "https://(hidden)@host:8080/v1");
        assert_eq!(without_password("https://token@host"), "https://(hidden)@host");
        assert_eq!(without_password("https://ada:p@ss@host/v1"), "https://(hidden)@host/v1");
        assert_eq!(without_password("https://host:80/models/@latest"), "https://host:80/models/@latest");
        assert_eq!(without_password("plain text"), "plain text");
    }

    #[test]
    fn a_secret_is_usable_but_not_visible() {
        let key = Secret::from(" sk-123\n");
        assert_eq!(key.expose(), "sk-123");
        assert_eq!(format!("{key:?}"), "\"[redacted]\"");
        assert_eq!(format!("{:?}", Secret::default()), "\"\"");
    }
}
