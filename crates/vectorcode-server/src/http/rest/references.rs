//! `references` and `map`: users of a symbol or file with their lines, and the imports of a folder as a map.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use vectorcode_core::api::{GraphResponse, MapRequest, ReferencesRequest, ReferencesResponse};
use vectorcode_core::config::SearchConfig;

use super::operation::{Input, Operation, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, CallArguments};
use crate::http::problem::Problem;
use crate::served_project::ServedProject;

const MAX_REFERENCES: usize = 1000;
const MAX_MAP_NODES: usize = 200;

pub(super) const REFERENCES: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/references",
    id: "references",
    summary: "Who uses a symbol or imports a file, and what it uses, each with its line of source.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<ReferencesResponse>)],
    errors: &[404],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<ReferencesArguments>,
    timeout: Timeout::Default,
    call: |call| call.with(references),
};

pub(super) const MAP: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/map",
    id: "map",
    summary: "The imports within the project or a folder, with folders as nodes where there are too many files.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<GraphResponse>)],
    errors: &[404],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<MapArguments>,
    timeout: Timeout::Default,
    call: |call| call.with(map),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct ReferencesArguments {
    /// A symbol by its bare or qualified name, `path#name` to select one of several, or a file by its path.
    target: String,
    /// With a file as target: the innermost definition around this line.
    #[schemars(range(min = 1, max = u32::MAX))]
    line: Option<u32>,
    /// Maximum length of each list.
    #[schemars(range(min = 1, max = MAX_REFERENCES))]
    limit: usize,
}

impl CallArguments for ReferencesArguments {
    fn defaults(_settings: &SearchConfig) -> JsonObject {
        JsonObject::from_iter([("limit".to_owned(), ReferencesRequest::DEFAULT_LIMIT.into())])
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct MapArguments {
    /// Relative to the project root. Default: the whole project.
    folder: Option<String>,
    /// Maximum number of nodes inside the folder.
    #[schemars(range(min = 1, max = MAX_MAP_NODES))]
    limit: usize,
}

impl CallArguments for MapArguments {
    fn defaults(_settings: &SearchConfig) -> JsonObject {
        JsonObject::from_iter([("limit".to_owned(), MapRequest::DEFAULT_LIMIT.into())])
    }
}

async fn references(project: Arc<ServedProject>, arguments: ReferencesArguments) -> Result<Reply, Problem> {
    let ReferencesArguments { target, line, limit } = arguments;
    let request = ReferencesRequest { target, line, limit };
    Reply::ok(&project.query(move |engine| engine.references(&request)).await?)
}

async fn map(project: Arc<ServedProject>, arguments: MapArguments) -> Result<Reply, Problem> {
    let MapArguments { folder, limit } = arguments;
    let request = MapRequest { folder, limit };
    Reply::ok(&project.query(move |engine| engine.map(&request)).await?)
}
