//! The store over real files and real processes.

#![expect(clippy::unwrap_used, reason = "a test stops at what must not fail")]

mod cache;
mod change;
mod child;
mod crash;
mod equivalence;
mod fixture;
mod safety;
mod schema;
mod search;
