//! `rmcp` sends no response to a line that is not JSON, and responds to a malformed message without its id. Here each gets the
//! JSON-RPC error that the specification requires, with the id if there is one.

use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode};
use serde_json::{Map, Value, json};

/// A decoded line.
#[derive(Debug)]
pub(crate) enum Inbound {
    Message(Box<ClientJsonRpcMessage>),
    /// An error frame to send back.
    Reject(Vec<u8>),
    /// A blank line, or an unknown notification.
    Ignore,
}

/// Decodes one line, without its line break.
pub(crate) fn decode(line: &[u8]) -> Inbound {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Inbound::Ignore;
    }
    match serde_json::from_slice::<Value>(line) {
        Ok(Value::Object(message)) => decode_object(message),
        Ok(Value::Array(_)) => reject(&Value::Null, ErrorCode::INVALID_REQUEST, "Batches are not supported"),
        Ok(_) => reject(&Value::Null, ErrorCode::INVALID_REQUEST, "A message must be a JSON object"),
        Err(error) => reject(&Value::Null, ErrorCode::PARSE_ERROR, &format!("Parse error: {error}")),
    }
}

/// The response to a line that is longer than `limit`.
pub(crate) fn too_long(limit: usize) -> Vec<u8> {
    error_frame(
        &Value::Null,
        ErrorCode::INVALID_REQUEST,
        &format!("A message may have at most {limit} bytes"),
    )
}

fn decode_object(mut message: Map<String, Value>) -> Inbound {
    let id = message.get("id").cloned();
    if let Err(fault) = check_envelope(&message) {
        return reject(&valid_id(id), ErrorCode::INVALID_REQUEST, fault);
    }
    if message.get("method").is_some_and(|method| method == "initialize") {
        complete_initialize(&mut message);
    }
    match (serde_json::from_value(Value::Object(message)), id) {
        (Ok(message), _) => Inbound::Message(Box::new(message)),
        (Err(_), None) => Inbound::Ignore,
        (Err(error), id) => {
            reject(&valid_id(id), ErrorCode::INVALID_REQUEST, &format!("Invalid request: {error}"))
        }
    }
}

fn check_envelope(message: &Map<String, Value>) -> Result<(), &'static str> {
    if message.get("jsonrpc").is_none_or(|version| version != "2.0") {
        return Err("`jsonrpc` must be \"2.0\"");
    }
    match message.get("id") {
        None => {}
        Some(id) if is_request_id(id) => {}
        Some(_) => return Err("`id` must be a string or a whole number"),
    }
    match message.get("method") {
        Some(Value::String(_)) => {}
        Some(_) => return Err("`method` must be a string"),
        None if message.contains_key("result") || message.contains_key("error") => {}
        None => return Err("`method` is missing"),
    }
    match message.get("params") {
        None | Some(Value::Object(_)) => Ok(()),
        Some(_) => Err("`params` must be an object"),
    }
}

fn is_request_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

/// The id if it is valid in a response, otherwise `null`.
fn valid_id(id: Option<Value>) -> Value {
    id.filter(is_request_id).unwrap_or(Value::Null)
}

/// Fills in what hand-written handshakes often leave out.
fn complete_initialize(message: &mut Map<String, Value>) {
    let params = message.entry("params").or_insert_with(|| json!({}));
    let Some(params) = params.as_object_mut() else { return };
    params.entry("protocolVersion").or_insert_with(|| "2024-11-05".into());
    params.entry("capabilities").or_insert_with(|| json!({}));
    params.entry("clientInfo").or_insert_with(|| json!({"name": "unknown", "version": "0"}));
}

fn reject(id: &Value, code: ErrorCode, message: &str) -> Inbound {
    Inbound::Reject(error_frame(id, code, message))
}

/// JSON-RPC requires `"id": null` if the id is unknown, which `rmcp`'s own type omits.
fn error_frame(id: &Value, code: ErrorCode, message: &str) -> Vec<u8> {
    let error = ErrorData::new(code, message.to_owned(), None);
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejection(line: &str) -> (i64, Value) {
        match decode(line.as_bytes()) {
            Inbound::Reject(frame) => {
                let frame: Value = serde_json::from_slice(&frame).unwrap();
                (frame["error"]["code"].as_i64().unwrap(), frame["id"].clone())
            }
            other => panic!("{line} became {other:?}"),
        }
    }

    #[test]
    fn what_is_not_json_is_a_parse_error() {
        assert_eq!(rejection("hello"), (-32700, Value::Null));
        assert_eq!(rejection("{\"jsonrpc\":"), (-32700, Value::Null));
        assert_eq!(rejection(&"[".repeat(100_000)), (-32700, Value::Null));
    }

    #[test]
    fn a_message_of_the_wrong_shape_is_answered_with_its_id() {
        assert_eq!(rejection(r#"{"id":7,"method":"ping"}"#), (-32600, json!(7)));
        assert_eq!(rejection(r#"{"jsonrpc":"2.0","id":"a","method":5}"#), (-32600, json!("a")));
        assert_eq!(rejection(r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#), (-32600, Value::Null));
        assert_eq!(rejection(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#), (-32600, json!(1)));
        assert_eq!(rejection("[]"), (-32600, Value::Null));
    }

    #[test]
    fn blank_lines_and_byte_order_marks_do_no_harm() {
        assert!(matches!(decode(b" \r"), Inbound::Ignore));
        assert!(matches!(
            decode(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r"),
            Inbound::Message(_)
        ));
    }

    #[test]
    fn an_initialize_without_parameters_is_completed() {
        let Inbound::Message(message) =
            decode(br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#)
        else {
            panic!("the handshake was not understood")
        };
        assert!(format!("{message:?}").contains("InitializeRequest"));
    }
}
