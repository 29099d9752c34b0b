//! What there is to know about one operation of the API: from it come the route, the check of its arguments and
//! its part of the OpenAPI document.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodFilter;
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use vectorcode_core::config::SearchConfig;

use crate::arguments::{Argument, Arguments};
use crate::backend::Backend;
use crate::http::problem::Problem;

const JSON: &str = "application/json";
/// How long most answers may take.
const USUAL_PATIENCE: Duration = Duration::from_secs(30);

/// One method of one path.
pub(crate) struct Operation {
    pub(crate) input: Input,
    /// As axum and OpenAPI both write it; `{name}` is the argument of that name.
    pub(crate) path: &'static str,
    /// Unique, for programs that are generated from the document.
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) answers: &'static [Answer],
    /// Statuses of refusals beside those that every operation may answer with.
    pub(crate) refusals: &'static [u16],
    /// Defaults may come from the project's settings.
    pub(crate) arguments: fn(&SearchConfig) -> Vec<Argument>,
    pub(crate) patience: Patience,
    pub(crate) call: fn(Call) -> Outcome,
}

/// A status that means success, and what comes with it.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) media: &'static str,
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
}

/// The method of an operation, and where its arguments stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// GET, with arguments in the URL.
    Query,
    /// POST, with arguments in a JSON body.
    Json,
    /// POST, whatever its body says: webhooks send what they like.
    Webhook,
}

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    Usual,
    /// The caller asked to wait for work that takes its time.
    Endless,
}

/// One request, its arguments checked.
pub(crate) struct Call {
    pub(crate) backend: Arc<Backend>,
    pub(crate) arguments: Arguments,
}

pub(crate) type Outcome = Pin<Box<dyn Future<Output = Result<Reply, Problem>> + Send>>;

/// An answer, ready to be sent.
#[derive(Debug)]
pub(crate) struct Reply(Response);

impl Answer {
    /// JSON with status 200.
    pub(crate) const fn ok(schema: fn(&mut SchemaGenerator) -> Schema) -> Self {
        Self { status: 200, media: JSON, schema }
    }

    /// JSON with status 202.
    pub(crate) const fn accepted(schema: fn(&mut SchemaGenerator) -> Schema) -> Self {
        Self { status: 202, media: JSON, schema }
    }
}

impl Input {
    /// The method, as OpenAPI writes it.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Query => "get",
            Self::Json | Self::Webhook => "post",
        }
    }

    pub(crate) fn method(self) -> MethodFilter {
        match self {
            Self::Query => MethodFilter::GET,
            Self::Json | Self::Webhook => MethodFilter::POST,
        }
    }
}

impl Patience {
    pub(crate) fn limit(self) -> Option<Duration> {
        match self {
            Self::Usual => Some(USUAL_PATIENCE),
            Self::Endless => None,
        }
    }
}

impl Reply {
    pub(crate) fn ok(value: &impl Serialize) -> Result<Self, Problem> {
        Self::with_status(StatusCode::OK, value)
    }

    /// The work goes on after the answer.
    pub(crate) fn accepted(value: &impl Serialize) -> Result<Self, Problem> {
        Self::with_status(StatusCode::ACCEPTED, value)
    }

    fn with_status(status: StatusCode, value: &impl Serialize) -> Result<Self, Problem> {
        let body = serde_json::to_vec(value).map_err(|error| {
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("The answer is no JSON: {error}."), None)
        })?;
        Ok(Self((status, [(CONTENT_TYPE, JSON)], body).into_response()))
    }
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self(response)
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        self.0
    }
}
