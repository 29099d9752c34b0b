//! What every error of the workspace can say about itself.

/// Who can mend a failure. The kind alone decides exit code, HTTP status and MCP error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorKind {
    /// A wrong argument, query or setting: the caller mends it.
    User,
    /// A missing key, a server that is down, a full disk: the surroundings must change.
    Environment,
    /// Something that must not happen: ours to mend.
    Bug,
}

/// The two things a face needs beside an error's message.
pub trait Diagnose: std::error::Error {
    fn kind(&self) -> ErrorKind;

    /// What to do about it, as a sentence or a command. `None` when the message says it already.
    fn hint(&self) -> Option<String> {
        None
    }
}

/// An error and what lies behind it, each said once: some messages quote their cause already.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    message
}
