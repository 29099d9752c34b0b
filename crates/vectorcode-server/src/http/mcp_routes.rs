//! MCP over streamable HTTP, as a router that is mounted at `/mcp`. `http::guard` has already checked access.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::{Problem, holding};
use crate::access::Caller;
use crate::backend::Backend;
use crate::limits::MAX_MESSAGE_BYTES;
use crate::mcp::DefaultProject;
use crate::mcp::handler::{Callers, McpHandler};
use crate::mcp::sessions::Sessions;

const SESSION_ID: &str = "mcp-session-id";

pub(crate) fn routes(backend: &Arc<Backend>, default_project: DefaultProject) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_cancellation_token(backend.shutdown().clone())
        // `http::guard` checks both for all routes.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let (backend, sessions) = (backend.clone(), Arc::new(Sessions::new()));
    let handler = move || Ok(McpHandler::new(backend.clone(), default_project, Callers::OfRequests));
    let service = StreamableHttpService::new(handler, sessions.clone(), config);
    Router::new().fallback_service(service).layer(from_fn_with_state(sessions, check_session))
}

/// Only the caller that opened a session can use it. For all others it does not exist.
async fn check_session(State(sessions): State<Arc<Sessions>>, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Caller>();
    match (session_id(request.headers()), caller) {
        (None, _) => next.run(request).await,
        (Some(id), Some(caller)) if sessions.is_of(id, caller) => {
            within_streams(&sessions, request, next).await
        }
        _ => Problem::new(StatusCode::NOT_FOUND, "There is no such session.", "Open one with `initialize`.")
            .into_response(),
    }
}

/// Limits the number of GET requests, which open a stream of messages and hold a connection as long as the client likes.
async fn within_streams(sessions: &Sessions, request: Request, next: Next) -> Response {
    if request.method() != Method::GET {
        return next.run(request).await;
    }
    match sessions.stream_slots().clone().try_acquire_owned() {
        Ok(slot) => holding(next.run(request).await, slot),
        Err(_) => Problem::busy("Too many streams of sessions are open.").into_response(),
    }
}

/// The session id, parsed as in `rmcp`.
fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_ID)?.to_str().ok()
}
