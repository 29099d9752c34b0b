//! `vec_changes`: the impact of an edit, a commit or a branch.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::SilentProgress;
use vectorcode_core::api::ChangesRequest;
use vectorcode_core::config::SearchConfig;

use super::shape::TokenBudget;
use super::spec::{Effect, Listing, ToolCall, ToolSpec, ToolSubject};
use crate::arguments::{ArgumentSchema, CallArguments};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::changes as render;
use crate::mcp::texts::changes as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_changes",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    listing: Listing::WithRepository,
    subject: ToolSubject::Code,
    arguments: ArgumentSchema::of::<ChangesArguments>,
    listed: texts::ARGUMENTS,
    call: |call| call.with(vec_changes),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct ChangesArguments {
    /// The revisions to compare: nothing for the files on disk against the last commit, `main` for the files against that
    /// branch, `main..topic` for one commit against another, `..topic` for a commit against its parent.
    revisions: Option<String>,
    #[serde(flatten)]
    budget: TokenBudget,
}

impl CallArguments for ChangesArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        TokenBudget::defaults_for_lists(settings)
    }
}

async fn vec_changes(call: ToolCall, arguments: ChangesArguments) -> Result<ToolAnswer, Failure> {
    let request = ChangesRequest::of(arguments.revisions.as_deref());
    let work = call
        .project
        .query_cancellable(move |engine, cancel| engine.changes(&request, &SilentProgress, cancel));
    let mut response = call.unless_cancelled(work).await?;
    response.notes.extend(call.arguments.notes());
    Ok(render::render(&response, arguments.budget.max_tokens).answer(call.format))
}
