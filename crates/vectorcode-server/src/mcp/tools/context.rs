//! `vec_context`: the documents that a project names.

use std::time::Duration;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::{ContextAction, IndexRequest, SearchTarget};
use vectorcode_core::config::SearchConfig;
use vectorcode_engine::Engine;

use super::reindex;
use super::shape::{PageStart, TokenBudget};
use super::spec::{Effect, Listing, ToolCall, ToolSpec, ToolSubject};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, CallArguments, ResultBounds};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::context as render;
use crate::mcp::render::excerpt::QueryWords;
use crate::mcp::render::search::SearchPage;
use crate::mcp::texts::context as texts;
use crate::search::{SearchScope, Searched, search};
use crate::shown_code::ShownLines;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_context",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::Deletes,
    listing: Listing::WithArtifacts,
    subject: ToolSubject::Project,
    arguments: ArgumentSchema::of::<ContextArguments>,
    listed: texts::ARGUMENTS,
    call: |call| call.with(vec_context),
};

/// How long a call waits for indexing, which then continues in the background.
const INDEX_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Deserialize, JsonSchema)]
struct ContextArguments {
    /// What to do.
    action: ContextAction,
    /// For "search": what the document says, in plain words.
    query: Option<String>,
    /// The name of one artifact. Default: all of them. Required for "remove".
    artifact: Option<String>,
    #[serde(flatten)]
    bounds: ResultBounds,
    #[serde(flatten)]
    budget: TokenBudget,
    #[serde(flatten)]
    start: PageStart,
}

impl CallArguments for ContextArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        let mut defaults = ResultBounds::defaults(settings);
        defaults.extend(TokenBudget::defaults(settings));
        defaults
    }
}

async fn vec_context(call: ToolCall, arguments: ContextArguments) -> Result<ToolAnswer, Failure> {
    match arguments.action {
        ContextAction::List => {
            Ok(render::list(&call.project.run(Engine::artifacts).await?).answer(call.format))
        }
        ContextAction::Search => find(&call, arguments).await,
        ContextAction::Index => {
            call.caller.require(Scope::Index)?;
            let artifact = arguments.artifact;
            let request = call.project.run(move |engine| engine.context_request(artifact.as_deref())).await?;
            // The keeper computes vectors, including those of documents. Waiting for them would mean waiting for the whole
            // project, and removing the artifact meanwhile would fail because a run is in progress.
            let request = IndexRequest { stage_one_only: true, ..request };
            reindex::run(call, request, INDEX_TIMEOUT).await
        }
        ContextAction::Remove => {
            // Removing changes the project's settings.
            call.caller.require(Scope::Admin)?;
            remove(call, arguments.artifact).await
        }
    }
}

async fn find(call: &ToolCall, arguments: ContextArguments) -> Result<ToolAnswer, Failure> {
    let Some(query) = arguments.query else {
        return Err(Failure::user(
            "The argument `query` is missing.",
            "Describe in a few words what the document says.",
        ));
    };
    let words = QueryWords::of(&query);
    let mut request = arguments.bounds.request(SearchTarget::Query(query));
    request.cursor = arguments.start.cursor()?;
    let scope = SearchScope::Context(arguments.artifact);
    let work = search(&call.project, request.clone(), scope, &call.caller);
    let Searched { mut response, reading } = call.unless_cancelled(work).await?;
    response.notes.extend(call.arguments.notes());
    let max_tokens = arguments.budget.max_tokens;
    let page =
        SearchPage { request: &request, words, max_tokens, response: &response, reading: reading.as_deref() };
    Ok(page.render(call.format, &mut ShownLines::default()))
}

async fn remove(call: ToolCall, artifact: Option<String>) -> Result<ToolAnswer, Failure> {
    let Some(name) = artifact else {
        return Err(Failure::user("The argument `artifact` is missing.", "Name the artifact to remove."));
    };
    let request = call.project.run(move |engine| engine.remove_artifacts(Some(&name))).await?;
    reindex::run(call, request, INDEX_TIMEOUT).await
}
