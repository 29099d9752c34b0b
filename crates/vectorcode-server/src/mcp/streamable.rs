//! MCP over streamable HTTP, as a service that the router mounts. Who may reach it is decided before, in `http`.

use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::handler::McpHandler;
use crate::MAX_MESSAGE_BYTES;
use crate::backend::Backend;

pub(crate) fn service(backend: &Arc<Backend>) -> StreamableHttpService<McpHandler, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_cancellation_token(backend.ending().clone())
        // The guard in front of the router has checked both, for all faces alike.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let backend = backend.clone();
    let handler = move || Ok(McpHandler::new(backend.clone()));
    StreamableHttpService::new(handler, Arc::new(LocalSessionManager::default()), config)
}
