//! `projects`: those that the user has indexed.

use schemars::SchemaGenerator;
use vectorcode_core::api::ProjectsResponse;

use super::operation::{Answer, Call, Input, Operation, Patience, Reply};
use crate::http::problem::Problem;

pub(super) const LIST: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/projects",
    id: "projects",
    summary: "Every registered project, and how it is.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<ProjectsResponse>)],
    refusals: &[],
    arguments: |_| Vec::new(),
    patience: Patience::Usual,
    call: |call| Box::pin(list(call)),
};

async fn list(call: Call) -> Result<Reply, Problem> {
    let projects = call.backend.projects().clone();
    Reply::ok(&call.backend.run(move |_| projects.list()).await??)
}
