//! What every error of the workspace provides: its kind and a hint.

/// Who can fix a failure. The exit code, the HTTP status and the MCP error depend on nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorKind {
    /// A wrong argument, query or setting: the caller can fix it.
    User,
    /// A missing key, a server that is down, a full disk: the environment must change.
    Environment,
    /// Something that should never happen: a bug in vectorcode.
    Bug,
}

/// What is needed to report an error, in addition to its message.
pub trait Diagnose: std::error::Error {
    fn kind(&self) -> ErrorKind;

    /// How to fix it, as a sentence or a command. `None` if the message already says it.
    fn hint(&self) -> Option<String> {
        None
    }
}

/// The message of an error and its causes. A cause that the message already contains is not repeated.
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
