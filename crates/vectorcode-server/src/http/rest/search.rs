//! `search` and `similar`: finds code by meaning, and code similar to other code.

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use vectorcode_core::api::{Cursor, SearchRequest, SearchTarget};
use vectorcode_core::config::SearchConfig;

use super::markup::{MarkedSearchResponse, MarkupOption};
use super::operation::{Input, Operation, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::{Caller, Scope};
use crate::arguments::{ArgumentSchema, CallArguments, ModeChoice, QUERY, SearchFilters, SimilarTo};
use crate::http::problem::Problem;
use crate::metrics::Stage;
use crate::search::{self, SearchScope};
use crate::served_project::ServedProject;

pub(super) const SEARCH: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/search",
    id: "search",
    summary: "Finds code by what it does.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<MarkedSearchResponse>)],
    errors: &[404],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<SearchArguments>,
    timeout: Timeout::Default,
    call: |call| {
        let caller = call.caller.clone();
        call.with(|project, arguments| search(project, arguments, caller))
    },
};

pub(super) const SEARCH_POST: Operation = Operation {
    input: Input::Json,
    id: "searchLong",
    summary: "Finds code by what it does; for queries that are too long for a URL.",
    ..SEARCH
};

pub(super) const SIMILAR: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/similar",
    id: "similar",
    summary: "Finds similar code: give either `snippet` or `location`.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<MarkedSearchResponse>)],
    errors: &[404],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<SimilarArguments>,
    timeout: Timeout::Default,
    call: |call| {
        let caller = call.caller.clone();
        call.with(|project, arguments| similar(project, arguments, caller))
    },
};

pub(super) const SIMILAR_POST: Operation = Operation {
    input: Input::Json,
    id: "similarLong",
    summary: "Finds similar code; for snippets that are too long for a URL.",
    ..SIMILAR
};

#[derive(Debug, Deserialize, JsonSchema)]
struct SearchArguments {
    #[schemars(description = QUERY)]
    q: String,
    #[serde(flatten)]
    options: SearchOptions,
    /// Search other projects of this user too: "all", "linked" (this project and those that its settings link), or
    /// names separated by commas ("api,web"). Default: this project only. Each result then names its project.
    projects: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct SimilarArguments {
    #[serde(flatten)]
    similar_to: SimilarTo,
    #[serde(flatten)]
    options: SearchOptions,
}

/// The arguments that both operations share.
#[derive(Debug, Deserialize, JsonSchema)]
struct SearchOptions {
    #[serde(flatten)]
    filters: SearchFilters,
    #[serde(flatten)]
    mode: ModeChoice,
    /// The `next` of an earlier response, to get the next page. Repeat the other arguments unchanged.
    cursor: Option<Cursor>,
    /// List the contribution of each ranking signal to each score.
    #[serde(default)]
    explain: bool,
    #[serde(flatten)]
    markup: MarkupOption,
}

impl CallArguments for SearchArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        SearchFilters::defaults(settings)
    }
}

impl CallArguments for SimilarArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        SearchFilters::defaults(settings)
    }
}

async fn search(
    project: Arc<ServedProject>,
    arguments: SearchArguments,
    caller: Caller,
) -> Result<Reply, Problem> {
    let scope = SearchScope::of_projects(arguments.projects.as_deref());
    find(&project, SearchTarget::Query(arguments.q), scope, &arguments.options, &caller).await
}

async fn similar(
    project: Arc<ServedProject>,
    arguments: SimilarArguments,
    caller: Caller,
) -> Result<Reply, Problem> {
    let target = arguments.similar_to.target()?;
    find(&project, target, SearchScope::ThisProject, &arguments.options, &caller).await
}

async fn find(
    project: &Arc<ServedProject>,
    target: SearchTarget,
    scope: SearchScope,
    options: &SearchOptions,
    caller: &Caller,
) -> Result<Reply, Problem> {
    let request = options.filters.request(target.clone(), options.cursor);
    let request = SearchRequest { explain: options.explain, mode: options.mode.mode, ..request };
    let response = search::search(project, request, scope, caller).await?.into_response();
    let started = Instant::now();
    let marked = options.markup.mark(project, target, response).await?;
    project.workers().metrics().time(Stage::Markup, started.elapsed());
    Reply::ok(&marked)
}
