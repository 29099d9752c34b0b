//! `POST /webhooks/git`: a git server reports a push. A [`Webhook`] verifies the sender and processes the message.

use std::fmt::Debug;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::json;
use tokio::sync::Semaphore;

use super::body;
use super::problem::Problem;
use crate::failure::Failure;
use crate::workers::Workers;

/// Enough for a push of a few hundred commits; larger ones are found by polling.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Bodies are read before their sender is known, so only a few at a time.
const MAX_AT_ONCE: usize = 8;

/// Receives messages of git servers.
pub trait Webhook: Send + Sync + Debug {
    /// Whether the message is signed with the shared secret.
    fn is_genuine<'h>(&self, header: &dyn Fn(&str) -> Option<&'h str>, body: &[u8]) -> bool;

    /// Marks the repositories of a genuine message for fetching, and returns their names.
    fn note(&self, body: &[u8]) -> Result<Vec<String>, Box<dyn std::error::Error + Send + Sync>>;
}

#[derive(Clone)]
struct Receiver {
    webhook: Arc<dyn Webhook>,
    slots: Arc<Semaphore>,
}

pub(crate) fn route(webhook: Arc<dyn Webhook>) -> Router {
    let receiver = Receiver { webhook, slots: Arc::new(Semaphore::new(MAX_AT_ONCE)) };
    Router::new().route("/webhooks/git", post(receive)).with_state(receiver)
}

async fn receive(State(receiver): State<Receiver>, request: Request) -> Response {
    match take(receiver, request).await {
        Ok(names) => (StatusCode::ACCEPTED, json!({ "repositories": names }).to_string()).into_response(),
        Err(problem) => problem.into_response(),
    }
}

async fn take(receiver: Receiver, request: Request) -> Result<Vec<String>, Problem> {
    let Receiver { webhook, slots } = receiver;
    let _slot = slots.try_acquire().map_err(|_| Problem::busy("Too many messages arrive at once."))?;
    let (headers, body) = body::whole_body(request, MAX_BODY_BYTES).await?;
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if !webhook.is_genuine(&header, &body) {
        return Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "The signature of the message is missing or wrong.",
            "Configure the git server with the secret in VECTORCODE_WEBHOOK_SECRET.",
        ));
    }
    let noted = Workers::run_blocking_unslotted(move || webhook.note(&body)).await?;
    Ok(noted.map_err(|error| {
        tracing::error!(%error, "a webhook could not be processed");
        Failure::environment("The message could not be processed.", None)
    })?)
}
