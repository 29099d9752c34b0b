//! `vec_graph`: imports, calls, and what a change affects.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::{GraphQuery, GraphRequest};
use vectorcode_core::config::SearchConfig;

use super::shape::TokenBudget;
use super::spec::{Effect, Listing, ToolCall, ToolSpec, ToolSubject};
use crate::arguments::{ArgumentSchema, CallArguments, GraphArguments};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::graph::{GraphPage, GraphTextFormat};
use crate::mcp::texts::graph as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_graph",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    listing: Listing::Always,
    subject: ToolSubject::Code,
    arguments: ArgumentSchema::of::<GraphToolArguments>,
    listed: texts::ARGUMENTS,
    call: |call| call.with(vec_graph),
};

/// `edit` is about one symbol, so its default budget is that of a list divided by this.
const EDIT_PART: usize = 2;

#[derive(Debug, Deserialize, JsonSchema)]
struct GraphToolArguments {
    #[serde(flatten)]
    graph: GraphArguments,
    /// "text", or a diagram to show to people: "mermaid" or "dot".
    #[serde(default)]
    format: GraphTextFormat,
    #[serde(flatten)]
    budget: TokenBudget,
}

impl CallArguments for GraphToolArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        let mut defaults = GraphArguments::defaults(settings);
        defaults.extend(TokenBudget::defaults_for_lists(settings));
        defaults
    }
}

async fn vec_graph(call: ToolCall, arguments: GraphToolArguments) -> Result<ToolAnswer, Failure> {
    let GraphToolArguments { graph, format, budget } = arguments;
    let mut request = graph.request()?;
    let (query, limit) = (request.query.clone(), request.limit);
    // Requests everything, because results that do not fit are counted.
    request.limit = GraphRequest::DIAGRAM_NODES;
    let work = call.project.query_cancellable(move |engine, cancel| engine.graph_until(&request, cancel));
    let mut response = call.unless_cancelled(work).await?;
    response.notes.extend(call.arguments.notes());
    let is_about_one = matches!(query, GraphQuery::Edit { .. }) && call.arguments.is_default("max_tokens");
    let max_tokens = if is_about_one { budget.max_tokens / EDIT_PART } else { budget.max_tokens };
    let page = GraphPage { query: &query, format, limit, max_tokens };
    Ok(page.render(response, call.format))
}
