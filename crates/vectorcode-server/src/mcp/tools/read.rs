//! `vec_read`: one definition or some lines, with what is needed to edit them.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::{OutlineRequest, ReadRequest};
use vectorcode_core::config::SearchConfig;

use super::shape::TokenBudget;
use super::spec::{Effect, Listing, ToolCall, ToolSpec, ToolSubject};
use crate::arguments::{ArgumentSchema, CallArguments};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::{outline, read as render};
use crate::mcp::texts::read as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_read",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    listing: Listing::Always,
    subject: ToolSubject::Code,
    arguments: ArgumentSchema::of::<ReadArguments>,
    listed: texts::ARGUMENTS,
    call: |call| call.with(vec_read),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct ReadArguments {
    /// A symbol (`Type.method`, `path#name`), lines (`path:10-60`), a line inside a definition (`path:10`), or a file.
    target: String,
    /// With a file: the outline of the definitions that this search finds in it, the others counted.
    query: Option<String>,
    #[serde(flatten)]
    budget: TokenBudget,
}

impl CallArguments for ReadArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        TokenBudget::defaults_for_lists(settings)
    }
}

async fn vec_read(call: ToolCall, arguments: ReadArguments) -> Result<ToolAnswer, Failure> {
    let ReadArguments { target, query, budget } = arguments;
    if query.is_some() {
        let request = OutlineRequest { path: target, query };
        let work = call.project.query(move |engine| engine.outline(&request));
        let mut response = call.unless_cancelled(work).await?;
        response.add_notes(call.arguments.notes());
        return Ok(outline::render(&response, budget.max_tokens).answer(call.format));
    }
    let request = ReadRequest { target };
    let work = call.project.query_cancellable(move |engine, cancel| engine.read(&request, cancel));
    let mut response = call.unless_cancelled(work).await?;
    response.notes.extend(call.arguments.notes());
    Ok(render::render(&response, budget.max_tokens).answer(call.format))
}
