//! Where to listen, and what callers must present.

use std::net::SocketAddr;

use vectorcode_core::config::Secret;
use vectorcode_engine::Reach;

use crate::mcp::DefaultProject;

/// The address and token of an HTTP server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub address: SocketAddr,
    /// Required on every request when set; must be set when other machines can reach the address.
    pub token: Option<Secret>,
    /// Which project MCP calls are about that name none. REST requests mean the one that the server was started for.
    pub default_project: DefaultProject,
}

impl HttpOptions {
    /// Who may reach the port of this machine may be another user of it. Without a token they get to see what the user has
    /// indexed, and no other directory.
    pub(super) fn reach(&self) -> Reach {
        let has_token = self.token.as_ref().is_some_and(|token| !token.is_empty());
        if has_token { Reach::AnyDirectory } else { Reach::Registered }
    }
}
