//! The faces of vectorcode that speak a protocol.
//!
//! [`serve_stdio`] and [`serve_http`] put one project's engine behind MCP. What a search or an index run does is
//! left to `vectorcode-engine`; here are frames, tool definitions, rendering, and the rules of who may ask.

mod arguments;
mod backend;
mod error;
mod failure;
mod http;
mod lifetime;
mod mcp;
mod reindex;
mod searching;
mod structure;

pub use error::ServerError;
pub use http::{HttpOptions, serve_http};
pub use mcp::serve_stdio;

/// The longest message that any face accepts. A request is a few hundred bytes; a snippet is at most a file.
const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// The engine's work happens on its own threads; two are plenty for frames.
fn runtime() -> Result<tokio::runtime::Runtime, ServerError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .thread_name("serve")
        .enable_all()
        .build()
        .map_err(ServerError::Runtime)
}
