//! A value that is used but never displayed.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An API key. `Debug` hides it, so that no log line or panic message can contain it. Serializing keeps it; code that
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

    /// What may be displayed: whether there is a value.
    pub fn shown(&self) -> &'static str {
        if self.is_empty() { "" } else { "[redacted]" }
    }
}

/// `writeOnly` marks a key whose value is never shown; see [`super::Key::is_secret`].
impl schemars::JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_usable_but_not_visible() {
        let key = Secret::from(" sk-123\n");
        assert_eq!(key.expose(), "sk-123");
        assert_eq!(format!("{key:?}"), "\"[redacted]\"");
        assert_eq!(format!("{:?}", Secret::default()), "\"\"");
    }
}
