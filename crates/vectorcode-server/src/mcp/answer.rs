//! How a tool call ends, and how that looks on the wire.
//!
//! A failure that the caller can mend is a tool result with `isError`, because agents read those; only a fault of
//! ours is a JSON-RPC error, which most clients show as a bare "internal error".

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::Value;
use vectorcode_core::{Diagnose, ErrorKind};
use vectorcode_engine::EngineError;

use super::arguments::BadArgument;
use crate::backend::Panicked;

/// The code of a fault of vectorcode itself.
const APPLICATION_ERROR: ErrorCode = ErrorCode(-32000);

/// What a tool has to say: for people and models as text, for programs as a value.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) structured: Value,
}

/// Why a tool has nothing to say.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The caller or the surroundings can change it.
    Mendable {
        message: String,
        hint: Option<String>,
    },
    /// Ours to mend.
    Fault(String),
    Panicked,
}

impl Failure {
    pub(crate) fn mendable(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Mendable { message: message.into(), hint: Some(hint.into()) }
    }
}

impl From<&EngineError> for Failure {
    fn from(error: &EngineError) -> Self {
        match error.kind() {
            ErrorKind::User | ErrorKind::Environment => {
                Self::Mendable { message: with_causes(error), hint: error.hint() }
            }
            ErrorKind::Bug => Self::Fault(with_causes(error)),
        }
    }
}

/// An error and what lies behind it, each said once: some messages quote their cause already.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
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

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::from(&error)
    }
}

impl From<BadArgument> for Failure {
    fn from(error: BadArgument) -> Self {
        Self::Mendable { message: format!("{error}."), hint: None }
    }
}

impl From<Panicked> for Failure {
    fn from(_: Panicked) -> Self {
        Self::Panicked
    }
}

/// The one place where the end of a call becomes a message.
pub(crate) fn into_result(outcome: Result<Answer, Failure>) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(answer) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
            result.structured_content = Some(answer.structured);
            Ok(result)
        }
        Err(Failure::Mendable { message, hint }) => {
            let text = hint.map_or_else(|| message.clone(), |hint| format!("{message}\n{hint}"));
            Ok(CallToolResult::error(vec![ContentBlock::text(text)]))
        }
        Err(Failure::Fault(message)) => Err(ErrorData::new(APPLICATION_ERROR, message, None)),
        Err(Failure::Panicked) => {
            Err(ErrorData::internal_error("The call failed inside vectorcode; its stderr says more.", None))
        }
    }
}
