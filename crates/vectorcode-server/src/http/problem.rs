//! The error response of all routes: a status, and `{"error": {"kind", "message", "hint"}}`.

use std::time::Duration;

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use vectorcode_core::ErrorKind;
use vectorcode_engine::EngineError;

use crate::arguments::BadArgument;
use crate::failure::{Failure, Fault};

/// The Retry-After header of errors that are likely to be gone by then.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// An error response.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    failure: Box<Failure>,
    header: Option<(HeaderName, HeaderValue)>,
}

/// The body of every error response.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorBody {
    error: Failure,
}

impl Problem {
    pub(crate) fn new(
        status: StatusCode,
        message: impl Into<String>,
        hint: impl Into<Option<&'static str>>,
    ) -> Self {
        let kind = match status {
            StatusCode::INTERNAL_SERVER_ERROR => ErrorKind::Bug,
            status if status.is_server_error() => ErrorKind::Environment,
            _ => ErrorKind::User,
        };
        Self { status, failure: Failure::new(kind, message, hint).into(), header: None }
    }

    pub(crate) fn with_header(self, name: HeaderName, value: HeaderValue) -> Self {
        Self { header: Some((name, value)), ..self }
    }

    /// The server is at one of its limits.
    pub(crate) fn busy(message: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message, "Try again in a second.").with_retry_after()
    }

    /// The caller has exceeded the rate limit of its token.
    pub(crate) fn too_many(wait: Duration) -> Self {
        let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
        let message = format!("This token has made too many requests; try again in {seconds} s.");
        Self::new(StatusCode::TOO_MANY_REQUESTS, message, None)
            .with_header(RETRY_AFTER, HeaderValue::from(seconds))
    }

    fn with_retry_after(self) -> Self {
        self.with_header(RETRY_AFTER, HeaderValue::from(RETRY_DELAY.as_secs()))
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        let status = match failure.kind {
            ErrorKind::User if failure.fault == Fault::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::User if failure.fault == Fault::Forbidden => StatusCode::FORBIDDEN,
            ErrorKind::User => StatusCode::BAD_REQUEST,
            ErrorKind::Environment => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Bug => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let problem = Self { status, failure: failure.into(), header: None };
        if status == StatusCode::SERVICE_UNAVAILABLE { problem.with_retry_after() } else { problem }
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        Failure::from(error).into()
    }
}

impl From<BadArgument> for Problem {
    fn from(error: BadArgument) -> Self {
        Failure::from(error).into()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&ErrorBody { error: *self.failure }).unwrap_or_default();
        let mut response = (self.status, [(CONTENT_TYPE, "application/json")], body).into_response();
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}
