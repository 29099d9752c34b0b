//! `vec_history`: commits by their message or the files they changed.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::HistoryRequest;
use vectorcode_core::config::SearchConfig;

use super::shape::TokenBudget;
use super::spec::{Effect, Listing, ToolCall, ToolSpec, ToolSubject};
use crate::arguments::{ArgumentSchema, CallArguments};
use crate::failure::Failure;
use crate::limits::MAX_RESULTS;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::history as render;
use crate::mcp::texts::history as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_history",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    listing: Listing::WithRepository,
    subject: ToolSubject::Code,
    arguments: ArgumentSchema::of::<HistoryArguments>,
    listed: texts::ARGUMENTS,
    call: |call| call.with(vec_history),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct HistoryArguments {
    /// What the message is about, in words. Without it, the newest commits.
    query: Option<String>,
    /// Only commits that changed this file, or a file below this folder.
    path: Option<String>,
    /// Maximum number of commits.
    #[schemars(range(min = 1, max = MAX_RESULTS))]
    limit: usize,
    #[serde(flatten)]
    budget: TokenBudget,
}

impl CallArguments for HistoryArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        let mut defaults = TokenBudget::defaults(settings);
        defaults.insert("limit".to_owned(), HistoryRequest::DEFAULT_LIMIT.into());
        defaults
    }
}

async fn vec_history(call: ToolCall, arguments: HistoryArguments) -> Result<ToolAnswer, Failure> {
    let HistoryArguments { query, path, limit, budget } = arguments;
    let request = HistoryRequest { query, path, limit };
    let work = call.project.query(move |engine| engine.history(&request));
    let mut response = call.unless_cancelled(work).await?;
    response.notes.extend(call.arguments.notes());
    Ok(render::render(&response, budget.max_tokens).answer(call.format))
}
