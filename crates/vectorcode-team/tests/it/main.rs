//! Push and pull between clones of a project, through a folder and a web server on loopback.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and so do its helpers")]

mod clone;
mod exchange;
mod hostile;
mod web;
