//! How much may be asked at once.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;

use super::problem::Problem;

/// More than a person or a handful of programs ever have under way; fewer than would fill the memory.
pub(crate) const MOST_REQUESTS: usize = 128;

/// A layer that turns requests away, instead of letting them queue without end.
pub(crate) async fn admit(State(slots): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    match slots.try_acquire() {
        Ok(_slot) => next.run(request).await,
        Err(_) => Problem::busy("Too many requests are under way.").into_response(),
    }
}
