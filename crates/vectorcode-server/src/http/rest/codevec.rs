//! The two routes of codevec, under their old names, for tools that were written for it.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use vectorcode_core::api::{Hit, IndexRequest, SearchRequest, SearchTarget};
use vectorcode_core::config::SearchConfig;

use super::index::{self, IndexRun};
use super::operation::{Input, Operation, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::{Caller, Scope};
use crate::arguments::{ArgumentSchema, CallArguments, NoArguments, QUERY as QUERY_TEXT, ResultBounds};
use crate::failure::Failure;
use crate::http::problem::Problem;
use crate::search::{SearchScope, search};
use crate::served_project::ServedProject;

pub(super) const QUERY: Operation = Operation {
    input: Input::Query,
    path: "/query",
    id: "codevecQuery",
    summary: "Search in the format of codevec.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<CodevecResponse>)],
    errors: &[],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<QueryArguments>,
    timeout: Timeout::Default,
    call: |call| {
        let caller = call.caller.clone();
        call.with(|project, arguments| query(project, arguments, caller))
    },
};

pub(super) const INDEX: Operation = Operation {
    input: Input::Webhook,
    path: "/index",
    id: "codevecIndex",
    summary: "Updates the index, in the format of codevec: a webhook whose body is ignored.",
    successes: &[SuccessResponse::accepted(SchemaGenerator::subschema_for::<IndexRun>)],
    errors: &[409],
    subject: OperationSubject::Code,
    scope: Scope::Index,
    arguments: ArgumentSchema::of::<NoArguments>,
    timeout: Timeout::Default,
    call: |call| {
        Box::pin(async move {
            index::begin(&call.project, IndexRequest::default())?;
            index::running()
        })
    },
};

#[derive(Debug, Deserialize, JsonSchema)]
struct QueryArguments {
    #[schemars(description = QUERY_TEXT)]
    q: String,
    #[serde(flatten)]
    bounds: ResultBounds,
    /// Only files with this extension, for example ".go".
    ext: Option<String>,
    /// Only paths with this prefix, or matching this glob.
    file: Option<String>,
}

impl CallArguments for QueryArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        ResultBounds::defaults(settings)
    }
}

/// A hit with the field names of codevec.
#[derive(Debug, Serialize, JsonSchema)]
struct CodevecResult {
    file: String,
    start_line: u32,
    end_line: u32,
    #[serde(rename = "type")]
    kind: String,
    name: Option<String>,
    score: f32,
    /// Probably not what the query is about.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    weak: bool,
    content: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CodevecResponse {
    results: Vec<CodevecResult>,
    /// All results are weak: these are the nearest.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    weak: bool,
}

async fn query(
    project: Arc<ServedProject>,
    arguments: QueryArguments,
    caller: Caller,
) -> Result<Reply, Problem> {
    let QueryArguments { q, bounds, ext, file } = arguments;
    let request = SearchRequest { paths: path_filter(ext, file)?, ..bounds.request(SearchTarget::Query(q)) };
    let response = search(&project, request, SearchScope::ThisProject, &caller).await?.response;
    let results = response.hits.into_iter().map(CodevecResult::from).collect();
    Reply::ok(&CodevecResponse { results, weak: response.weak })
}

fn path_filter(extension: Option<String>, file: Option<String>) -> Result<Vec<String>, Failure> {
    match (extension, file) {
        (None, file) => Ok(file.into_iter().collect()),
        (Some(extension), None) => Ok(vec![format!("**/*.{}", extension.trim_start_matches('.'))]),
        (Some(_), Some(_)) => {
            Err(Failure::user("Give either `ext` or `file`.", "A glob can say both: `file=src/**/*.go`."))
        }
    }
}

impl From<Hit> for CodevecResult {
    fn from(hit: Hit) -> Self {
        Self {
            file: hit.path,
            start_line: hit.start_line,
            end_line: hit.end_line,
            kind: hit.kind,
            name: hit.symbol,
            score: hit.score,
            weak: hit.weak,
            content: hit.content,
        }
    }
}
