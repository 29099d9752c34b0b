//! How a tool call ends, and how that looks on the wire.
//!
//! A failure that the caller can mend is a tool result with `isError`, because agents read those; only a fault of
//! ours is a JSON-RPC error, which most clients show as a bare "internal error".

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::Value;
use vectorcode_core::ErrorKind;

pub(crate) use crate::failure::Failure;

/// The code of a fault of vectorcode itself.
const APPLICATION_ERROR: ErrorCode = ErrorCode(-32000);

/// What a tool has to say: for people and models as text, for programs as a value.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) structured: Value,
}

/// The one place where the end of a call becomes a message.
pub(crate) fn into_result(outcome: Result<Answer, Failure>) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(answer) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
            result.structured_content = Some(answer.structured);
            Ok(result)
        }
        Err(Failure { kind: ErrorKind::Bug, message, .. }) => {
            Err(ErrorData::new(APPLICATION_ERROR, message, None))
        }
        Err(Failure { message, hint, .. }) => {
            let text = hint.map_or_else(|| message.clone(), |hint| format!("{message}\n{hint}"));
            Ok(CallToolResult::error(vec![ContentBlock::text(text)]))
        }
    }
}
