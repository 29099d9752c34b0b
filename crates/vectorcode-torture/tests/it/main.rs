//! Tests the harness: each kind of fault is planted, and must be found.
#![allow(clippy::unwrap_used)] // A test has no better answer than a panic.

#[cfg(unix)]
mod planted_faults;
