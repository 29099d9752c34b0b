//! Reads request bodies completely before any route sees them, within limits of size, time and number of values. So no route
//! waits for a slow sender, and only authorised callers can use memory.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;
use crate::limits::{MAX_LARGE_BODIES, MAX_MESSAGE_BYTES, MAX_MESSAGE_VALUES, SMALL_BODY_BYTES};

const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a large body waits for a slot.
const SLOT_TIMEOUT: Duration = Duration::from_secs(10);

/// Slots for large bodies. Bodies of ordinary size never wait for the large ones of others.
type LargeBodySlots = Arc<Semaphore>;

pub(super) fn large_body_slots() -> LargeBodySlots {
    Arc::new(Semaphore::new(MAX_LARGE_BODIES))
}

/// The middleware that reads the body, after the token check.
pub(super) async fn read(State(slots): State<LargeBodySlots>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    match checked(body, &slots).await {
        Ok((body, slot)) => {
            // The call of an MCP tool outlives the HTTP response and keeps the parts of its request, so the slot is stored
            // there.
            parts.extensions.insert(slot.clone());
            let response = next.run(Request::from_parts(parts, Body::from(body))).await;
            drop(slot);
            response
        }
        Err(problem) => problem.into_response(),
    }
}

/// The slot of a large body, held as long as the parsed request.
type Slot = Option<Arc<OwnedSemaphorePermit>>;

async fn checked(body: Body, slots: &LargeBodySlots) -> Result<(Bytes, Slot), Problem> {
    let mut slot = None;
    let body = read_within(body, MAX_MESSAGE_BYTES, Some((slots, &mut slot))).await?;
    if values_in(&body) > MAX_MESSAGE_VALUES {
        let message = format!("The request body has more than {MAX_MESSAGE_VALUES} values.");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message, None));
    }
    Ok((body, slot))
}

/// Headers and body of a request that does not pass the token check.
pub(super) async fn whole_body(request: Request, max_bytes: usize) -> Result<(HeaderMap, Bytes), Problem> {
    let (parts, body) = request.into_parts();
    Ok((parts.headers, read_within(body, max_bytes, None).await?))
}

async fn read_within(
    body: Body,
    max_bytes: usize,
    slots: Option<(&LargeBodySlots, &mut Slot)>,
) -> Result<Bytes, Problem> {
    let slow =
        |_| Problem::new(StatusCode::REQUEST_TIMEOUT, "The request body took too long to arrive.", None);
    tokio::time::timeout(BODY_TIMEOUT, collect(body, max_bytes, slots)).await.map_err(slow)?
}

async fn collect(
    body: Body,
    max_bytes: usize,
    mut slots: Option<(&LargeBodySlots, &mut Slot)>,
) -> Result<Bytes, Problem> {
    let (mut frames, mut read) = (body.into_data_stream(), Vec::new());
    while let Some(frame) = frames.next().await {
        let frame = frame
            .map_err(|_| Problem::new(StatusCode::BAD_REQUEST, "The request body ended early.", None))?;
        if read.len() + frame.len() > max_bytes {
            return Err(too_large(max_bytes));
        }
        if read.len() + frame.len() > SMALL_BODY_BYTES
            && let Some((slots, slot)) = slots.take()
        {
            *slot = Some(wait_for_slot(slots).await?);
        }
        read.extend_from_slice(&frame);
    }
    Ok(read.into())
}

async fn wait_for_slot(slots: &LargeBodySlots) -> Result<Arc<OwnedSemaphorePermit>, Problem> {
    let waited = tokio::time::timeout(SLOT_TIMEOUT, slots.clone().acquire_owned()).await;
    let slot = waited.ok().and_then(Result::ok);
    slot.map(Arc::new).ok_or_else(|| Problem::busy("Too many large requests are in progress."))
}

fn too_large(max_bytes: usize) -> Problem {
    let message = format!("The request body is larger than {} MiB.", max_bytes >> 20);
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message, None)
}

/// Upper bound for the number of values in a JSON text: its commas and opening brackets outside strings.
fn values_in(json: &[u8]) -> usize {
    let (mut values, mut in_string, mut is_escaped) = (0, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        assert_eq!(values_in(br#"{"a": [1, 2, {"b": "[,{\",\\"}], "c": "{"}"#), 6);
        assert_eq!(values_in(b"[[[["), 4);
        assert_eq!(values_in(b""), 0);
    }
}
