//! MCP over streamable HTTP, as a service that the router mounts. Access is checked before, in `http::guard`.

use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::handler::{Callers, McpHandler};
use super::roots::DefaultProject;
use crate::backend::Backend;
use crate::limits::MAX_MESSAGE_BYTES;

pub(crate) fn service(
    backend: &Arc<Backend>,
    default_project: DefaultProject,
) -> StreamableHttpService<McpHandler, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_cancellation_token(backend.shutdown().clone())
        // `http::guard` has checked both, for all routes alike.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let backend = backend.clone();
    let handler = move || Ok(McpHandler::new(backend.clone(), default_project, Callers::OfRequests));
    StreamableHttpService::new(handler, Arc::new(LocalSessionManager::default()), config)
}
