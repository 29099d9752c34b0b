//! `health` and `about`: whether the server runs, and what it is.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use vectorcode_core::VERSION;

use super::operation::{Input, Operation, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, NoArguments};

pub(super) const HEALTH: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/health",
    id: "health",
    summary: "Responds as long as the server runs.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<Health>)],
    errors: &[],
    subject: OperationSubject::Server,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<NoArguments>,
    timeout: Timeout::Default,
    call: |_| Box::pin(async { Reply::ok(&Health { status: "ok" }) }),
};

pub(super) const ABOUT: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/about",
    id: "about",
    summary: "The program, its version and the project that it serves.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<About>)],
    errors: &[],
    subject: OperationSubject::Server,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<NoArguments>,
    timeout: Timeout::Default,
    call: |call| {
        Box::pin(async move {
            let engine = call.backend.start_project().engine();
            let is_shown = call.backend.shows_start(&call.caller).await?;
            Reply::ok(&About {
                name: "vectorcode",
                version: VERSION,
                project: is_shown.then(|| engine.project().name()),
                provider: engine.config().provider.name.as_str(),
            })
        })
    },
};

#[derive(Debug, Serialize, JsonSchema)]
struct Health {
    status: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct About {
    name: &'static str,
    version: &'static str,
    /// The name of the project's folder, unless the token does not include it.
    project: Option<String>,
    /// The embedding provider.
    provider: &'static str,
}
