//! Where to listen, and what callers must present.

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
    /// Takes messages of git servers; `None`: they are refused.
    pub webhook: Option<Arc<dyn Webhook>>,
    /// Which project MCP calls are about that name none. REST requests mean the one that the server was started for.
    pub default_project: DefaultProject,
}
