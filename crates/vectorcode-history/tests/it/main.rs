//! Tests that read back real histories.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and so do its helpers")]

mod crafted;
mod hostile;
#[cfg(unix)]
mod layouts;
mod real_git;
mod walking;
mod worktrees;
