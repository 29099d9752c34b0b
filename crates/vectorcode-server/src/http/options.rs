//! The options of the HTTP server: where to listen, and what callers must present.

use std::net::SocketAddr;
use std::sync::Arc;

use vectorcode_core::config::Secret;

use super::webhook::Webhook;
use crate::access::AccessTokens;
use crate::mcp::DefaultProject;

/// The address and tokens of an HTTP server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub address: SocketAddr,
    /// A token that allows everything.
    pub token: Option<Secret>,
    /// Tokens with scopes. As soon as there are any, every request needs one.
    pub tokens: Option<Arc<dyn AccessTokens>>,
    /// Receives webhooks of git servers. With `None` they are refused.
    pub webhook: Option<Arc<dyn Webhook>>,
    /// The project of MCP calls that name none. For REST requests it is always the one that the server was started for.
    pub default_project: DefaultProject,
}
