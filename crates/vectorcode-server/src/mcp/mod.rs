//! The Model Context Protocol in both eras (the `initialize` handshake of 2024-11-05 to 2025-11-25, and the stateless revision
//! 2026-07-28), over stdio and over streamable HTTP.
//!
//! A call passes through these modules in order: transport (`stdio`, `http::mcp_routes`), `handler`, one file of `tools`,
//! `render`, `answer`.

mod answer;
mod frames;
pub(crate) mod handler;
mod lines;
mod local;
mod progress;
mod render;
mod roots;
mod session_list;
pub(crate) mod sessions;
mod stdio;
mod texts;
mod tools;

pub use local::LocalTools;
pub use roots::DefaultProject;
pub use stdio::{serve_stdio, serve_stream};
