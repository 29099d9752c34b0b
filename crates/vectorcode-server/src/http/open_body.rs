//! Long-lived response bodies: values held until their end, and early cancellation.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Keeps `held` alive until the body has been sent or the client is gone.
pub(crate) fn holding<T: Send + Unpin + 'static>(response: Response, held: T) -> Response {
    response.map(|body| Body::new(OpenBody { body, ended: None, _held: held }))
}

/// Ends the body early when `ended` is cancelled.
pub(super) fn until_ended(response: Response, ended: CancellationToken) -> Response {
    let ended = Some(Box::pin(ended.cancelled_owned()));
    response.map(|body| Body::new(OpenBody { body, ended, _held: () }))
}

struct OpenBody<T> {
    body: Body,
    ended: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    _held: T,
}

impl<T: Unpin> HttpBody for OpenBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(ended) = &mut self.ended
            && ended.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
