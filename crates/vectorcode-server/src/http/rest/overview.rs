//! `overview` and `folder`: what the project is, and what is in it.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use vectorcode_core::api::{FolderRequest, FolderResponse, OverviewRequest, OverviewResponse};
use vectorcode_core::config::SearchConfig;

use super::operation::{Input, Operation, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, CallArguments};
use crate::http::problem::Problem;
use crate::served_project::ServedProject;

const MAX_LISTED: usize = 100;
const MAX_ENTRIES: usize = 1000;
/// More entries than any folder has.
const MAX_OFFSET: usize = 10_000_000;

pub(super) const OVERVIEW: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/overview",
    id: "overview",
    summary: "What the project or a folder is: README, languages, parts, entry points, most imported files.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<OverviewResponse>)],
    errors: &[404],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<OverviewArguments>,
    timeout: Timeout::Default,
    call: |call| call.with(overview),
};

pub(super) const FOLDER: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/folder",
    id: "folder",
    summary: "The indexed files and folders that lie directly in a folder.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<FolderResponse>)],
    errors: &[404],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<FolderArguments>,
    timeout: Timeout::Default,
    call: |call| call.with(folder),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct OverviewArguments {
    /// A folder, relative to the project root. Default: the whole project.
    folder: Option<String>,
    /// Maximum length of each list in the response.
    #[schemars(range(min = 1, max = MAX_LISTED))]
    limit: usize,
}

impl CallArguments for OverviewArguments {
    fn defaults(_settings: &SearchConfig) -> JsonObject {
        JsonObject::from_iter([("limit".to_owned(), OverviewRequest::DEFAULT_LIMIT.into())])
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct FolderArguments {
    /// Relative to the project root. Default: the root.
    folder: Option<String>,
    /// The `next` of an earlier response, to get the next page.
    #[serde(default)]
    #[schemars(range(min = 0, max = MAX_OFFSET))]
    offset: usize,
    /// Maximum number of entries.
    #[schemars(range(min = 1, max = MAX_ENTRIES))]
    limit: usize,
}

impl CallArguments for FolderArguments {
    fn defaults(_settings: &SearchConfig) -> JsonObject {
        JsonObject::from_iter([("limit".to_owned(), FolderRequest::DEFAULT_LIMIT.into())])
    }
}

async fn overview(project: Arc<ServedProject>, arguments: OverviewArguments) -> Result<Reply, Problem> {
    let OverviewArguments { folder, limit } = arguments;
    let request = OverviewRequest { folder, limit };
    Reply::ok(&project.query(move |engine| engine.overview(&request)).await?)
}

async fn folder(project: Arc<ServedProject>, arguments: FolderArguments) -> Result<Reply, Problem> {
    let FolderArguments { folder, offset, limit } = arguments;
    let request = FolderRequest { folder, offset, limit };
    Reply::ok(&project.query(move |engine| engine.folder(&request)).await?)
}
