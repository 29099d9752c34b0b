//! Push and pull between real projects, through a folder and a web server on loopback.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and so do its helpers")]
