//! `vec_graph`: imports, calls, and what a change affects.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::GraphRequest;
use vectorcode_core::config::SearchConfig;
use vectorcode_engine::Engine;

use super::paging::TokenBudget;
use super::spec::{Call, Effect, ToolSpec};
use crate::arguments::{ArgumentSchema, CallArguments, GraphArguments};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::graph::{Format, GraphPage};
use crate::mcp::render::root_note;
use crate::mcp::schema;
use crate::mcp::texts::graph as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_graph",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments: ArgumentSchema::of::<GraphToolArguments>,
    output: schema::graph,
    call: |call| call.with(vec_graph),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct GraphToolArguments {
    #[serde(flatten)]
    graph: GraphArguments,
    /// "text", or a diagram to show to people: "mermaid" or "dot".
    #[serde(default)]
    format: Format,
    #[serde(flatten)]
    budget: TokenBudget,
}

impl CallArguments for GraphToolArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        let mut defaults = GraphArguments::defaults(settings);
        defaults.extend(TokenBudget::defaults(settings));
        defaults
    }
}

async fn vec_graph(call: Call, arguments: GraphToolArguments) -> Result<ToolAnswer, Failure> {
    let GraphToolArguments { graph, format, budget } = arguments;
    let mut request = graph.request()?;
    let (query, limit) = (request.query.clone(), request.limit);
    if format != Format::Text {
        request.limit = GraphRequest::DIAGRAM_NODES;
    }
    let is_other_project = graph.project.is_some();
    let ask = move |engine: &Engine| {
        let mut response = engine.graph(&request)?;
        response.notes.extend(is_other_project.then(|| root_note(engine)));
        Ok(response)
    };
    let mut response = call.backend.ask(graph.project, ask).await?;
    response.notes.extend(call.arguments.unknown_note());
    Ok(GraphPage { query: &query, format, limit, max_tokens: budget.max_tokens }.render(response))
}
