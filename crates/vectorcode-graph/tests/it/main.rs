//! Integration tests of the graph crate, one binary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod file_edges;
