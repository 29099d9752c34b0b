//! Why a call failed: one type for all front ends. MCP turns it into a tool error, HTTP into a problem with a status.

use schemars::JsonSchema;
use serde::Serialize;
use vectorcode_core::{Diagnose, ErrorKind, with_causes};
use vectorcode_engine::EngineError;

/// A failed call: who can fix it, what failed, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    /// The file, symbol, project or artifact that the caller named does not exist.
    #[serde(skip)]
    pub(crate) not_found: bool,
    pub(crate) message: String,
    /// What to do about it; absent when the message already says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// The caller made a mistake and can correct it.
    pub(crate) fn user(message: impl Into<String>, hint: impl Into<Option<&'static str>>) -> Self {
        Self::new(ErrorKind::User, message, hint)
    }

    /// Something outside of the call must change first; often it does within seconds.
    pub(crate) fn environment(message: impl Into<String>, hint: impl Into<Option<&'static str>>) -> Self {
        Self::new(ErrorKind::Environment, message, hint)
    }

    /// A worker thread panicked; the panic message is on stderr.
    pub(crate) fn panicked() -> Self {
        Self::new(ErrorKind::Bug, "vectorcode failed with an internal error; see its stderr.", None)
    }

    pub(crate) fn new(
        kind: ErrorKind,
        message: impl Into<String>,
        hint: impl Into<Option<&'static str>>,
    ) -> Self {
        let hint = hint.into().map(str::to_owned);
        Self { kind, not_found: false, message: message.into(), hint }
    }
}

impl From<&EngineError> for Failure {
    fn from(error: &EngineError) -> Self {
        let not_found = matches!(
            error,
            EngineError::NoSuchLocation { .. }
                | EngineError::NotIndexed { .. }
                | EngineError::NoHistoryOf { .. }
                | EngineError::UnknownFile { .. }
                | EngineError::UnknownSymbol { .. }
                | EngineError::UnknownProject { .. }
                | EngineError::UnknownArtifact { .. }
        );
        Self { kind: error.kind(), not_found, message: with_causes(error), hint: error.hint() }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::from(&error)
    }
}
