//! `vec_search`: code by meaning.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::SearchTarget;
use vectorcode_core::config::SearchConfig;

use super::paging::{PageStart, TokenBudget};
use super::spec::{Call, Effect, ToolSpec};
use crate::arguments::{ArgumentSchema, CallArguments, QUERY, SearchFilters};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::search::SearchPage;
use crate::mcp::schema;
use crate::mcp::texts::search as texts;
use crate::search::{SearchScope, search};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_search",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments: ArgumentSchema::of::<SearchArguments>,
    output: schema::search,
    call: |call| call.with(vec_search),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct SearchArguments {
    #[schemars(description = QUERY)]
    query: String,
    #[serde(flatten)]
    options: SearchOptions,
}

impl CallArguments for SearchArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        SearchOptions::defaults(settings)
    }
}

/// What `vec_search` and `vec_similar` take beside what to look for.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchOptions {
    #[serde(flatten)]
    filters: SearchFilters,
    /// Search other projects of this user too: "all", "linked" (this project and those that its settings link), or
    /// names separated by commas ("api,web"). Default: this project only. Each result then names its project.
    projects: Option<String>,
    #[serde(flatten)]
    budget: TokenBudget,
    #[serde(flatten)]
    start: PageStart,
}

impl SearchOptions {
    pub(super) fn defaults(settings: &SearchConfig) -> JsonObject {
        let mut defaults = SearchFilters::defaults(settings);
        defaults.extend(TokenBudget::defaults(settings));
        defaults
    }
}

async fn vec_search(call: Call, arguments: SearchArguments) -> Result<ToolAnswer, Failure> {
    let subject = format!("\"{}\"", arguments.query);
    find(&call, SearchTarget::Query(arguments.query), &subject, &arguments.options).await
}

/// Searches for `target`, which the heading of the answer calls `subject`.
pub(super) async fn find(
    call: &Call,
    target: SearchTarget,
    subject: &str,
    options: &SearchOptions,
) -> Result<ToolAnswer, Failure> {
    let request = options.filters.request(target, options.start.cursor()?);
    let (threshold, start) = (request.threshold, request.cursor.map_or(0, |cursor| cursor.0));
    let scope = SearchScope::of_projects(options.projects.as_deref());
    let mut response = search(&call.backend, request, scope).await?;
    response.notes.extend(call.arguments.unknown_note());
    let max_tokens = options.budget.max_tokens;
    Ok(SearchPage { subject, threshold, start, max_tokens, response: &response }.render())
}
