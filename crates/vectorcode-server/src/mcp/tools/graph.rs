//! `vec_graph`: who imports whom, who calls whom, what a change reaches.

use vectorcode_core::api::GraphRequest;
use vectorcode_core::config::SearchConfig;

use super::{Call, Effect, ToolSpec, search};
use crate::arguments::Argument;
use crate::mcp::answer::{Answer, Failure};
use crate::mcp::render::graph::{self as page, Format, GraphPage};
use crate::mcp::texts::graph as texts;
use crate::structure;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_graph",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments,
    output: page::schema,
    call: |call| Box::pin(graph(call)),
};

fn arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments = structure::graph_arguments();
    arguments.push(Argument::choice("format", texts::FORMAT, &["text", "mermaid", "dot"]).or("text"));
    arguments.push(search::max_tokens(config));
    arguments
}

async fn graph(call: Call) -> Result<Answer, Failure> {
    let mut request = structure::graph_request(&call.arguments)?;
    let (query, limit) = (request.query.clone(), request.limit);
    let format: Format = call.arguments.choice("format");
    if format != Format::Text {
        request.limit = GraphRequest::DIAGRAM_NODES;
    }
    let project = call.arguments.text("project").map(str::to_owned);
    let mut response = structure::ask(&call.backend, call.arguments.text("project"), move |engine| {
        let mut response = engine.graph(&request)?;
        response.notes.extend(structure::whereabouts(engine, project.as_deref()));
        Ok(response)
    })
    .await?;
    response.notes.extend(call.arguments.note_on_unknown());
    let max_tokens = call.arguments.count("max_tokens").unwrap_or_default();
    Ok(GraphPage { query: &query, format, limit, max_tokens }.render(response))
}
