//! Observes every request: assigns an id, counts it, writes one log line, and tracks which requests are in progress.
//!
//! The log line has the route, never the URL, so that queries and project paths stay out of the log.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use super::open_body::holding;
use crate::access::Caller;
use crate::backend::Backend;
use crate::metrics::RequestLabels;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The client chooses this id, which is logged and sent back. A UUID has 36 characters.
const MAX_ID_LENGTH: usize = 64;

/// The outermost middleware.
pub(crate) async fn observe(State(backend): State<Arc<Backend>>, request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    let (method, route) = (method_name(request.method()), route_name(&request));
    // A long GET is an event stream. It ends with the server and nothing is lost, so only the time until its response starts
    // counts as in progress.
    let in_progress = backend.in_progress().token();
    let counts_to_end = request.method() == Method::POST;
    let started = Instant::now();
    let span = tracing::info_span!("request", id);
    let response = next.run(request).instrument(span).await;
    let labels = RequestLabels { method, route, status: response.status().as_u16() };
    let took = started.elapsed();
    log(&labels, &id, took, response.extensions().get::<Caller>());
    backend.metrics().count(&labels, took);
    let mut response = if counts_to_end { holding(response, in_progress) } else { response };
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

fn log(labels: &RequestLabels, id: &str, took: Duration, caller: Option<&Caller>) {
    let RequestLabels { method, route, status } = labels;
    let token = caller.and_then(Caller::token_id).unwrap_or("-");
    let took_ms = took.as_secs_f64() * 1e3;
    tracing::info!(request_id = id, method, route, status, took_ms, token, "request");
}

/// The id that a proxy gave the request, if it has only plain characters, or a random one.
fn request_id(headers: &HeaderMap) -> String {
    let is_plain = |id: &&str| {
        (1..=MAX_ID_LENGTH).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(is_plain);
    // Without random numbers, requests cannot be told apart in the log, but they are still served.
    given.map_or_else(|| format!("{:016x}", getrandom::u64().unwrap_or_default()), str::to_owned)
}

/// The method as one of a few fixed words, which bounds the number of metric labels.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// The matched route pattern, not the path of the request, which bounds the number of metric labels.
fn route_name(request: &Request) -> String {
    match request.extensions().get::<MatchedPath>().map(MatchedPath::as_str) {
        None => "other".into(),
        Some(route) if route.starts_with("/mcp") => "/mcp".into(),
        Some(route) if route.starts_with("/assets/") => "/assets".into(),
        Some(route) => route.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_proxies_are_kept_if_they_are_plain() {
        let id = |text: &str| {
            let headers = HeaderMap::from_iter([(REQUEST_ID, HeaderValue::from_str(text).unwrap())]);
            request_id(&headers)
        };
        assert_eq!(id("a1-B_2.c"), "a1-B_2.c");
        for odd in ["", "a b", "a\"b", &"x".repeat(65)] {
            assert_eq!(id(odd).len(), 16, "{odd}");
        }
        assert_ne!(request_id(&HeaderMap::new()), request_id(&HeaderMap::new()));
    }
}
