//! `context`: the documents that the project names.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use vectorcode_core::api::{ContextResponse, SearchResponse, SearchTarget};
use vectorcode_core::config::SearchConfig;
use vectorcode_engine::Engine;

use super::operation::{Input, Operation, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::{Caller, Scope};
use crate::arguments::{ArgumentSchema, CallArguments, NoArguments, QUERY, ResultBounds};
use crate::http::problem::Problem;
use crate::search::{self, SearchScope};
use crate::served_project::ServedProject;

pub(super) const LIST: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/context",
    id: "context",
    summary: "Lists the context artifacts of the project and their state.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<ContextResponse>)],
    errors: &[],
    subject: OperationSubject::Project,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<NoArguments>,
    timeout: Timeout::Default,
    call: |call| Box::pin(async move { Reply::ok(&call.project.run(Engine::artifacts).await?) }),
};

pub(super) const SEARCH: Operation = Operation {
    path: "/api/v1/context/search",
    id: "searchContext",
    summary: "Searches only the context artifacts.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<SearchResponse>)],
    errors: &[404],
    subject: OperationSubject::Project,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<ContextSearchArguments>,
    call: |call| {
        let caller = call.caller.clone();
        call.with(|project, arguments| search(project, arguments, caller))
    },
    ..LIST
};

#[derive(Debug, Deserialize, JsonSchema)]
struct ContextSearchArguments {
    #[schemars(description = QUERY)]
    q: String,
    /// Only the artifact of this name.
    artifact: Option<String>,
    #[serde(flatten)]
    bounds: ResultBounds,
}

impl CallArguments for ContextSearchArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        ResultBounds::defaults(settings)
    }
}

async fn search(
    project: Arc<ServedProject>,
    arguments: ContextSearchArguments,
    caller: Caller,
) -> Result<Reply, Problem> {
    let request = arguments.bounds.request(SearchTarget::Query(arguments.q));
    let scope = SearchScope::Context(arguments.artifact);
    Reply::ok(&search::search(&project, request, scope, &caller).await?.into_response())
}
