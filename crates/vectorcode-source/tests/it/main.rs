//! Integration tests of the source crate, in one binary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod chunks;
mod discover;
mod highlight;
mod languages;
mod properties;
