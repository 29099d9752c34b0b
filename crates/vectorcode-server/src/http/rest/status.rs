//! `status`: the state of the index, even before the first one exists.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use vectorcode_core::api::{Activity, StatusResponse};

use super::index::IndexRun;
use super::operation::{Input, Operation, OperationCall, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, NoArguments};
use crate::http::problem::Problem;
use crate::served_project::ProjectStatus;

pub(super) const STATUS: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/status",
    id: "status",
    summary: "The state of the index and what it is doing.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<ServerStatus>)],
    errors: &[],
    subject: OperationSubject::Project,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<NoArguments>,
    timeout: Timeout::Default,
    call: |call| Box::pin(status(call)),
};

/// The project, its index and the work on it.
#[derive(Debug, Serialize, JsonSchema)]
struct ServerStatus {
    /// The name of the project's folder.
    project: String,
    /// False until the first files are in the index.
    indexed: bool,
    index: Option<StatusResponse>,
    activity: Activity,
    /// The last run that was requested through this server.
    run: IndexRun,
}

async fn status(call: OperationCall) -> Result<Reply, Problem> {
    let project = &call.project;
    let ProjectStatus { index, activity } = project.status().await?;
    Reply::ok(&ServerStatus {
        project: project.engine().project().name(),
        indexed: index.is_some(),
        index,
        activity,
        run: IndexRun::of(project),
    })
}
