//! Where to listen, and what callers must present.

use std::net::SocketAddr;

use vectorcode_core::config::Secret;

/// The address and token of an HTTP server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub address: SocketAddr,
    /// Required on every request when set; must be set when other machines can reach the address.
    pub token: Option<Secret>,
}
