//! The store over real files and real processes.

#![expect(clippy::unwrap_used, reason = "a test stops at what must not fail")]

mod change;
mod fixture;
mod search;
