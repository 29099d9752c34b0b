//! The network and protocol front ends of vectorcode: MCP over stdio and HTTP, the REST API and the web page.
//!
//! [`serve_stdio`], [`serve_stream`] and [`serve_http`] are started for one project, and serve any other that a caller names.
//! `vectorcode-engine` does the searching and indexing; this crate holds transports, tool definitions, argument checks,
//! rendering and access rules. The caller of [`serve_http`] provides the token store ([`AccessTokens`]) and the handler for
//! messages of git servers ([`Webhook`]).
//!
//! Modules depend on each other in one direction only: transports (`mcp::stdio`, `http`) use tools and operations, which use
//! `arguments`, `search`, `backend`, `served_project`, `hints` and `render`, which use `budget`, `failure`, `limits` and
//! `error`.

mod access;
mod arguments;
mod backend;
mod budget;
mod error;
mod failure;
mod hints;
mod http;
mod lifetime;
mod limits;
mod mcp;
mod metrics;
mod reindex;
mod runtime;
mod search;
mod served_project;
mod shown_code;
mod units;
mod workers;

pub use access::{AccessTokens, Grant, Scope};
pub use error::ServerError;
pub use hints::{AgentAction, HintRequest, hint};
pub use http::{HttpOptions, Webhook, serve_http};
pub use mcp::{DefaultProject, LocalTools, serve_stdio, serve_stream};
