//! `graph` and `symbols`: imports, calls, what a change affects, and definitions by name.

use std::sync::Arc;

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use rmcp::model::JsonObject;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use vectorcode_core::api::{GraphRequest, GraphResponse, SymbolResponse};
use vectorcode_core::choices;
use vectorcode_core::config::SearchConfig;
use vectorcode_engine::{collapse, diagram};

use super::operation::{Input, Operation, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, CallArguments, GraphArguments, SymbolArguments};
use crate::http::problem::Problem;
use crate::served_project::ServedProject;

pub(super) const GRAPH: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/graph/{action}",
    id: "graph",
    summary: "Queries the code graph: dependencies, callers, impact, paths, cycles, figures, neighbourhoods.",
    successes: &[
        SuccessResponse::ok(SchemaGenerator::subschema_for::<GraphResponse>),
        SuccessResponse { status: 200, media: TEXT, schema: SchemaGenerator::subschema_for::<String> },
    ],
    errors: &[404],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<DrawnGraphArguments>,
    timeout: Timeout::Default,
    call: |call| call.with(graph),
};

pub(super) const SYMBOLS: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/symbols",
    id: "symbols",
    summary: "Finds definitions by name: exact, by prefix, by words, or fuzzy.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<SymbolResponse>)],
    errors: &[404],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<SymbolArguments>,
    timeout: Timeout::Default,
    call: |call| call.with(symbols),
};

const TEXT: &str = "text/plain; charset=utf-8";

choices! {
    /// The format of the response. Diagrams show folders as one node where there are more files than `limit`.
    #[derive(Default)]
    pub enum DrawnFormat: "graph format" {
        #[default]
        Json = "json", "Nodes and edges as JSON";
        Mermaid = "mermaid", "A flowchart for Markdown, as text";
        Dot = "dot", "A diagram for Graphviz, as text";
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct DrawnGraphArguments {
    #[serde(flatten)]
    graph: GraphArguments,
    /// The format of the response: nodes and edges as JSON, or a diagram as text in which the files of a folder are one node
    /// where there are more than `limit`.
    #[serde(default)]
    format: DrawnFormat,
}

impl CallArguments for DrawnGraphArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        GraphArguments::defaults(settings)
    }
}

async fn graph(project: Arc<ServedProject>, arguments: DrawnGraphArguments) -> Result<Reply, Problem> {
    let DrawnGraphArguments { graph, format } = arguments;
    let mut request = graph.request()?;
    let shown = request.limit;
    if format != DrawnFormat::Json {
        request.limit = GraphRequest::DIAGRAM_NODES.max(shown);
    }
    let response = project.query(move |engine| engine.graph(&request)).await?;
    match format {
        DrawnFormat::Json => Reply::ok(&response),
        DrawnFormat::Mermaid => Ok(drawn(diagram::mermaid(&collapse(&response, shown)))),
        DrawnFormat::Dot => Ok(drawn(diagram::dot(&collapse(&response, shown)))),
    }
}

fn drawn(text: String) -> Reply {
    ([(CONTENT_TYPE, TEXT)], text).into_response().into()
}

async fn symbols(project: Arc<ServedProject>, arguments: SymbolArguments) -> Result<Reply, Problem> {
    let request = arguments.request();
    Reply::ok(&project.query(move |engine| engine.symbols(&request)).await?)
}
