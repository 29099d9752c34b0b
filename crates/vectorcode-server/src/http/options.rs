//! Where to listen, and what callers must present.

use std::net::SocketAddr;
use std::path::PathBuf;

use vectorcode_core::config::Secret;

use crate::access::TokenFile;
use crate::mcp::DefaultProject;
use crate::repositories::RepositoryList;

/// The address and tokens of an HTTP server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub address: SocketAddr,
    /// A token that allows everything.
    pub token: Option<Secret>,
    /// Tokens with scopes. As soon as there are any, every request needs one.
    pub tokens: Option<TokenFile>,
    /// Messages of git servers, which are taken if there is a secret for them.
    pub webhook: Option<WebhookOptions>,
    /// Which project MCP calls are about that name none. REST requests mean the one that the server was started for.
    pub default_project: DefaultProject,
}

/// What a server needs to take messages of git servers.
#[derive(Clone, Debug)]
pub struct WebhookOptions {
    pub secret: Secret,
    pub repositories: RepositoryList,
    /// Where the clones are.
    pub directory: PathBuf,
}
