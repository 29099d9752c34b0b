//! The result of a tool call, and its form on the wire.
//!
//! A failure that the caller can fix is a tool result with `isError`, because agents read those; only an internal error
//! is a JSON-RPC error, which most clients show as a bare "internal error".
//!
//! Nothing leaves here with raw control characters, see [`vectorcode_core::visible_text`]: names and code come from a
//! project that nobody has checked, and go to a terminal or into a model's context. This holds for the code in
//! `structuredContent` too, because models read it. Programs that need the exact bytes use the REST API or the file.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::Value;
use vectorcode_core::{ErrorKind, visible_text};

use crate::failure::Failure;

/// The JSON-RPC code of an error inside vectorcode.
const INTERNAL_ERROR: ErrorCode = ErrorCode(-32000);

/// What a tool answers: text for people and models, and the same as a value for programs.
#[derive(Debug)]
pub(crate) struct ToolAnswer {
    pub(crate) text: String,
    pub(crate) structured: Value,
}

/// Turns the outcome of a call into its message.
pub(crate) fn into_result(outcome: Result<ToolAnswer, Failure>) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(mut answer) => {
            let mut result = CallToolResult::success(vec![text_block(&answer.text)]);
            make_visible(&mut answer.structured);
            result.structured_content = Some(answer.structured);
            Ok(result)
        }
        Err(Failure { kind: ErrorKind::Bug, message, .. }) => {
            Err(ErrorData::new(INTERNAL_ERROR, visible_text(&message).into_owned(), None))
        }
        Err(Failure { message, hint, .. }) => {
            let text = hint.map_or_else(|| message.clone(), |hint| format!("{message}\n{hint}"));
            Ok(CallToolResult::error(vec![text_block(&text)]))
        }
    }
}

fn text_block(text: &str) -> ContentBlock {
    ContentBlock::text(visible_text(text).into_owned())
}

/// Escapes unprintable characters in every string of `value`. Line breaks stay: JSON itself escapes them.
fn make_visible(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(visible) = visible_text(text) {
                *text = visible;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_visible),
        Value::Object(fields) => fields.values_mut().for_each(make_visible),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_raw_control_characters_leave_the_server() {
        let answer = ToolAnswer {
            text: "a\u{1b}[2J\u{202e}b\n".into(),
            structured: json!({"results": [{"path": "x\u{9b}y", "content": "if (a) {\n\t\u{2066}}"}]}),
        };
        let result = serde_json::to_value(into_result(Ok(answer)).unwrap()).unwrap();
        assert_eq!(result["content"][0]["text"], "a\\u{1b}[2J\\u{202e}b\n");
        let hit = &result["structuredContent"]["results"][0];
        assert_eq!(hit["path"], "x\\u{9b}y");
        assert_eq!(hit["content"], "if (a) {\n\t\\u{2066}}");
        let failed = into_result(Err(Failure::user("no \u{1b}c", None))).unwrap();
        assert_eq!(serde_json::to_value(failed).unwrap()["content"][0]["text"], "no \\u{1b}c");
    }
}
