//! The HTTP providers, tested with a server on the loopback interface.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and so do its helpers")]
#![expect(clippy::needless_pass_by_value, reason = "tests pass bodies that they have just created")]

mod dialect;
mod failures;
mod ollama;
mod requests;
pub mod server;
mod sizes;
mod vectors;

use dialect::Dialect;
use server::Server;
use vectorcode_embed::{EmbedError, Embedder, TextKind};

/// Embeds one document.
fn embed_one(dialect: Dialect, server: &Server) -> Result<Vec<f32>, EmbedError> {
    let outcomes = dialect.embedder(&server.url()).embed(TextKind::Document, &["text"])?;
    assert_eq!(outcomes.len(), 1);
    Ok(outcomes[0].clone().unwrap())
}
