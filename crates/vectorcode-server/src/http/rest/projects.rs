//! `projects`: the projects that the user has indexed.

use schemars::SchemaGenerator;
use vectorcode_core::api::ProjectsResponse;

use super::operation::{Call, Input, Operation, Reply, SuccessResponse, Timeout};
use crate::arguments::{ArgumentSchema, NoArguments};
use crate::http::problem::Problem;

pub(super) const LIST: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/projects",
    id: "projects",
    summary: "Lists all registered projects and their state.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<ProjectsResponse>)],
    errors: &[],
    arguments: ArgumentSchema::of::<NoArguments>,
    timeout: Timeout::Default,
    call: |call| Box::pin(list(call)),
};

async fn list(call: Call) -> Result<Reply, Problem> {
    let projects = call.backend.projects().clone();
    Reply::ok(&call.backend.run(move |_| projects.list()).await?)
}
