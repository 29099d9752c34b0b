//! The built binary as an MCP server, with well-behaved and misbehaving clients.

mod at_commit;
pub mod client;
mod context;
mod eras;
mod faults;
mod freshness;
#[cfg(unix)] // Hooks reach a server through a Unix socket.
mod hooks;
mod http;
mod projects;
mod stopping;
mod tools;
mod two_servers;
