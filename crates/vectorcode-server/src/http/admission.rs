//! Limits the number of requests in progress.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;

use super::problem::Problem;

/// A layer that rejects requests beyond the limit, instead of letting them queue without bound.
pub(crate) async fn admit(State(slots): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    match slots.try_acquire() {
        Ok(_slot) => next.run(request).await,
        Err(_) => Problem::busy("Too many requests are in progress.").into_response(),
    }
}
