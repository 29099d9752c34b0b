//! The HTTP server, as programs and browsers use it.

mod at_commit;
mod browse;
pub mod events;
mod guard;
mod monitoring;
mod rest;
mod safety;
pub mod server;
mod sessions;
mod smuggling;
mod tokens;
