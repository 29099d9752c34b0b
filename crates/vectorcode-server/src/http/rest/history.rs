//! `history` and `branches`: commits by their message or the files they changed, and the refs of the repository.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use vectorcode_core::api::{BranchesResponse, HistoryRequest, HistoryResponse};
use vectorcode_core::config::SearchConfig;

use super::operation::{Input, Operation, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, CallArguments, NoArguments};
use crate::http::problem::Problem;
use crate::served_project::ServedProject;

const MAX_COMMITS: usize = 200;

pub(super) const HISTORY: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/history",
    id: "history",
    summary: "Commits of the repository by their message, by a file that they changed, or the newest.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<HistoryResponse>)],
    errors: &[404],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<HistoryArguments>,
    timeout: Timeout::Default,
    call: |call| call.with(history),
};

pub(super) const BRANCHES: Operation = Operation {
    path: "/api/v1/branches",
    id: "branches",
    summary: "The branches and tags of the repository, which `ref` of other operations takes.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<BranchesResponse>)],
    errors: &[],
    subject: OperationSubject::Project,
    arguments: ArgumentSchema::of::<NoArguments>,
    call: |call| {
        Box::pin(async move { Reply::ok(&call.project.run(vectorcode_engine::Engine::branches).await?) })
    },
    ..HISTORY
};

#[derive(Debug, Deserialize, JsonSchema)]
struct HistoryArguments {
    /// What the message is about, in words. Default: the newest commits.
    q: Option<String>,
    /// Only commits that changed this file, or a file in this folder.
    path: Option<String>,
    /// Maximum number of commits.
    #[schemars(range(min = 1, max = MAX_COMMITS))]
    limit: usize,
}

impl CallArguments for HistoryArguments {
    fn defaults(_settings: &SearchConfig) -> JsonObject {
        JsonObject::from_iter([("limit".to_owned(), HistoryRequest::DEFAULT_LIMIT.into())])
    }
}

async fn history(project: Arc<ServedProject>, arguments: HistoryArguments) -> Result<Reply, Problem> {
    let HistoryArguments { q, path, limit } = arguments;
    let request = HistoryRequest { query: q, path, limit };
    Reply::ok(&project.query(move |engine| engine.history(&request)).await?)
}
