//! The result of a tool call, and its form on the wire.
//!
//! A result is text. Several clients (Claude Code, Codex) only show the model `structuredContent` if there is any, and JSON
//! costs more tokens than text: 17 % more for a search, 2.7 times as much for a graph. So `structuredContent` is only sent to
//! callers that request it with `format: "json"`. No tool declares an output schema, because that would oblige it to send
//! structured content.
//!
//! A failure that the caller can fix is a tool result with `isError`, because agents read those. Only an internal error is a
//! JSON-RPC error, which most clients show as a bare "internal error".
//!
//! No result has raw control characters, see [`vectorcode_core::visible_text`]: names and code come from untrusted projects,
//! and go to a terminal or into a model's context. This holds for the code in `structuredContent` too, because models read it.
//! Programs that need the exact bytes use the REST API or the file.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::Value;
use vectorcode_core::{ErrorKind, choices, visible_text};

use crate::failure::Failure;

/// The JSON-RPC code of an error inside vectorcode.
const INTERNAL_ERROR: ErrorCode = ErrorCode(-32000);

choices! {
    /// The format of a tool's result. Every tool accepts it as `format`, which is not listed because few callers need it.
    #[derive(Default)]
    pub enum AnswerFormat: "format" {
        #[default]
        Text = "text", "Text for models and people";
        Json = "json", "A value for programs, in `structuredContent`";
    }
}

/// The result of a tool, in the requested format.
#[derive(Debug)]
pub(crate) enum ToolAnswer {
    Text(String),
    Value(Value),
}

impl ToolAnswer {
    /// Computes only the requested format.
    pub(crate) fn of(
        format: AnswerFormat,
        text: impl FnOnce() -> String,
        value: impl FnOnce() -> Value,
    ) -> Self {
        match format {
            AnswerFormat::Text => Self::Text(text()),
            AnswerFormat::Json => Self::Value(value()),
        }
    }
}

/// A result in both formats, for tools where computing both costs little.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    pub(crate) value: Value,
}

impl Rendered {
    pub(crate) fn answer(self, format: AnswerFormat) -> ToolAnswer {
        let Self { text, value } = self;
        ToolAnswer::of(format, || text, || value)
    }
}

/// Converts the outcome of a call to its message.
pub(crate) fn into_result(outcome: Result<ToolAnswer, Failure>) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(ToolAnswer::Text(text)) => Ok(CallToolResult::success(vec![text_block(&text)])),
        Ok(ToolAnswer::Value(mut value)) => {
            make_visible(&mut value);
            // Repeated in a text block, as the protocol recommends for clients that do not know structured content.
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = Some(value);
            Ok(result)
        }
        Err(Failure { kind: ErrorKind::Bug, message, .. }) => {
            Err(ErrorData::new(INTERNAL_ERROR, visible_text(&message).into_owned(), None))
        }
        Err(failure) => Ok(CallToolResult::error(vec![text_block(&failure.for_agents())])),
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
        let text = ToolAnswer::Text("a\u{1b}[2J\u{202e}b\n".into());
        let result = serde_json::to_value(into_result(Ok(text)).unwrap()).unwrap();
        assert_eq!(result["content"][0]["text"], "a\\u{1b}[2J\\u{202e}b\n");
        assert_eq!(result.get("structuredContent"), None);
        let value = json!({"results": [{"path": "x\u{9b}y", "content": "if (a) {\n\t\u{2066}}"}]});
        let result = serde_json::to_value(into_result(Ok(ToolAnswer::Value(value))).unwrap()).unwrap();
        let hit = &result["structuredContent"]["results"][0];
        assert_eq!(hit["path"], "x\\u{9b}y");
        assert_eq!(hit["content"], "if (a) {\n\t\\u{2066}}");
        let failed = into_result(Err(Failure::user("no \u{1b}c", None))).unwrap();
        assert_eq!(serde_json::to_value(failed).unwrap()["content"][0]["text"], "no \\u{1b}c");
    }
}
