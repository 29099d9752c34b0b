//! Reads the arguments of a request from its URL or body, before they are checked.

use axum::RequestExt;
use axum::body::to_bytes;
use axum::extract::{RawPathParams, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};

use super::operation::Input;
use crate::arguments::InputFormat;
use crate::http::problem::Problem;
use crate::limits::MAX_MESSAGE_BYTES;

type Given = Map<String, Value>;

pub(super) async fn read(input: Input, mut request: Request) -> Result<(Given, InputFormat), Problem> {
    match input {
        Input::Webhook => Ok((Given::new(), InputFormat::StrictJson)),
        Input::Query => {
            let path = request.extract_parts::<RawPathParams>().await.map_err(|rejection| {
                Problem::new(StatusCode::BAD_REQUEST, format!("{}.", rejection.body_text()), None)
            })?;
            let query = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes());
            let path = path.iter().map(|(name, value)| (name.into(), value.into()));
            Ok((once_each(path.chain(query))?, InputFormat::UrlQuery))
        }
        Input::Json => {
            reject_query(&request)?;
            let (parts, body) = request.into_parts();
            let body = to_bytes(body, MAX_MESSAGE_BYTES).await.unwrap_or_default();
            Ok((object(&parts.headers, &body)?, InputFormat::StrictJson))
        }
    }
}

type Text<'a> = std::borrow::Cow<'a, str>;

fn once_each<'a>(pairs: impl Iterator<Item = (Text<'a>, Text<'a>)>) -> Result<Given, Problem> {
    let mut given = Given::new();
    for (name, value) in pairs {
        if given.insert(name.to_string(), value.as_ref().into()).is_some() {
            return Err(bad(format!("The argument `{name}` is given twice.")));
        }
    }
    Ok(given)
}

/// Arguments in the URL of a POST would be ignored silently.
fn reject_query(request: &Request) -> Result<(), Problem> {
    match request.uri().query() {
        None | Some("") => Ok(()),
        Some(_) => Err(bad("The arguments of a POST belong in its JSON body, not in its URL.".into())),
    }
}

fn object(headers: &HeaderMap, body: &[u8]) -> Result<Given, Problem> {
    if body.is_empty() {
        return Ok(Given::new());
    }
    if !is_json(headers) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "The Content-Type of the body is not JSON.",
            "Send it with `Content-Type: application/json`.",
        ));
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(given)) => Ok(given),
        Ok(_) => Err(bad("The body must be a JSON object.".into())),
        Err(error) => Err(bad(format!("The body is not JSON: {error}."))),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = declared.split(';').next().unwrap_or_default().trim();
    media.eq_ignore_ascii_case("application/json")
}

fn bad(message: String) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, message, None)
}
