//! Why a call has no answer, in the words that every face passes on.

use schemars::JsonSchema;
use serde::Serialize;
use vectorcode_core::{Diagnose, ErrorKind, with_causes};
use vectorcode_engine::EngineError;

use crate::arguments::BadArgument;
use crate::backend::Panicked;

/// A failed call: who can mend it, what failed, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    /// What was asked about does not exist.
    #[serde(skip)]
    pub(crate) missing: bool,
    pub(crate) message: String,
    /// What to do about it; absent when the message says it already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// The caller can mend it.
    pub(crate) fn mendable(message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (message, hint) = (message.into(), Some(hint.into()));
        Self { kind: ErrorKind::User, missing: false, message, hint }
    }

    /// The surroundings must change; often by themselves, in a moment.
    pub(crate) fn unavailable(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Environment, ..Self::mendable(message, hint) }
    }
}

impl From<&EngineError> for Failure {
    fn from(error: &EngineError) -> Self {
        let missing = matches!(
            error,
            EngineError::NoSuchLocation { .. }
                | EngineError::NotIndexed { .. }
                | EngineError::UnknownFile { .. }
                | EngineError::UnknownSymbol { .. }
                | EngineError::UnknownProject { .. }
                | EngineError::UnknownArtifact { .. }
        );
        Self { kind: error.kind(), missing, message: with_causes(error), hint: error.hint() }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::from(&error)
    }
}

impl From<BadArgument> for Failure {
    fn from(error: BadArgument) -> Self {
        Self { kind: ErrorKind::User, missing: false, message: format!("{error}."), hint: None }
    }
}

impl From<Panicked> for Failure {
    fn from(_: Panicked) -> Self {
        let message = "The call failed inside vectorcode; its stderr says more.";
        Self { kind: ErrorKind::Bug, missing: false, message: message.into(), hint: None }
    }
}
