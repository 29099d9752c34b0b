//! Histories that were really written, read back.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and so do its helpers")]

mod hostile;
mod walking;
