//! The definition of one API operation. Its route, argument check and part of the OpenAPI document are all derived from it.

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

use crate::access::{Caller, Scope};
use crate::arguments::{ArgumentSchema, CallArguments, CheckedArguments};
use crate::backend::Backend;
use crate::http::problem::Problem;
use crate::served_project::ServedProject;

const JSON: &str = "application/json";
/// How long most operations may take.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// One method of one path.
pub(crate) struct Operation {
    pub(crate) input: Input,
    /// In the notation of axum and OpenAPI; `{name}` is the argument with that name.
    pub(crate) path: &'static str,
    /// Unique; code generators name client methods after it.
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) successes: &'static [SuccessResponse],
    /// Error statuses in addition to those of every operation.
    pub(crate) errors: &'static [u16],
    pub(crate) subject: OperationSubject,
    /// The scope that the caller's token needs.
    pub(crate) scope: Scope,
    /// The schema of the arguments without `project`; defaults may come from the project's settings.
    pub(crate) arguments: fn(&SearchConfig) -> ArgumentSchema,
    pub(crate) timeout: Timeout,
    pub(crate) call: fn(OperationCall) -> ReplyFuture,
}

/// A success status and its body.
pub(crate) struct SuccessResponse {
    pub(crate) status: u16,
    pub(crate) media: &'static str,
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
}

/// The method of an operation, and where its arguments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// GET, with arguments in the URL.
    Query,
    /// POST, with arguments in a JSON body.
    Json,
    /// POST with an arbitrary body, which is ignored.
    Webhook,
}

/// What an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationSubject {
    /// One project, which the caller may name.
    Project,
    /// The code of one project, on disk or of the commit that `ref` names.
    Code,
    /// The server, or the project that it was started for.
    Server,
}

/// How long an operation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timeout {
    Default,
    /// For callers that wait until the work is done.
    None,
}

/// One request with checked arguments.
pub(crate) struct OperationCall {
    /// The project that the call is about.
    pub(crate) project: Arc<ServedProject>,
    /// Whether the caller named the project.
    pub(crate) is_named: bool,
    /// For requests that span all projects.
    pub(crate) backend: Arc<Backend>,
    pub(crate) caller: Caller,
    pub(crate) arguments: CheckedArguments,
}

pub(crate) type ReplyFuture = Pin<Box<dyn Future<Output = Result<Reply, Problem>> + Send>>;

/// A response that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Reply(Response);

impl OperationCall {
    /// Runs `operation` with the arguments parsed into its struct.
    pub(super) fn with<A, F>(self, operation: impl FnOnce(Arc<ServedProject>, A) -> F) -> ReplyFuture
    where
        A: CallArguments,
        F: Future<Output = Result<Reply, Problem>> + Send + 'static,
    {
        match self.arguments.parse() {
            Ok(arguments) => Box::pin(operation(self.project, arguments)),
            Err(error) => Box::pin(std::future::ready(Err(error.into()))),
        }
    }
}

impl SuccessResponse {
    /// JSON with status 200.
    pub(crate) const fn ok(schema: fn(&mut SchemaGenerator) -> Schema) -> Self {
        Self { status: 200, media: JSON, schema }
    }

    /// JSON with status 202.
    pub(crate) const fn accepted(schema: fn(&mut SchemaGenerator) -> Schema) -> Self {
        Self { status: 202, media: JSON, schema }
    }
}

impl Operation {
    /// The schema of all arguments.
    pub(crate) fn schema(&self, settings: &SearchConfig) -> ArgumentSchema {
        let schema = (self.arguments)(settings);
        match self.subject {
            OperationSubject::Project => schema.with_project(),
            OperationSubject::Code => schema.with_project().with_ref(),
            OperationSubject::Server => schema,
        }
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

impl Timeout {
    pub(crate) fn limit(self) -> Option<Duration> {
        match self {
            Self::Default => Some(DEFAULT_TIMEOUT),
            Self::None => None,
        }
    }
}

impl Reply {
    pub(crate) fn ok(value: &impl Serialize) -> Result<Self, Problem> {
        Self::with_status(StatusCode::OK, value)
    }

    /// The work continues after the response.
    pub(crate) fn accepted(value: &impl Serialize) -> Result<Self, Problem> {
        Self::with_status(StatusCode::ACCEPTED, value)
    }

    fn with_status(status: StatusCode, value: &impl Serialize) -> Result<Self, Problem> {
        let body = serde_json::to_vec(value).map_err(|error| {
            Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("The response could not be written as JSON: {error}."),
                None,
            )
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
