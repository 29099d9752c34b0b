//! The built binary as an MCP server: what clients and the world can do to it.

pub mod client;
mod context;
mod eras;
mod faults;
mod freshness;
mod http;
mod tools;
mod two_servers;
