//! `graph` and `symbols`: imports, calls, what a change affects, and definitions by name.

use std::sync::Arc;

use schemars::SchemaGenerator;
use vectorcode_core::api::{GraphResponse, SymbolResponse};

use super::operation::{Input, Operation, Reply, SuccessResponse, Timeout};
use crate::arguments::{ArgumentSchema, GraphArguments, SymbolArguments};
use crate::backend::Backend;
use crate::http::problem::Problem;

pub(super) const GRAPH: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/graph/{action}",
    id: "graph",
    summary: "Queries the code graph: dependencies, callers, impact, paths, cycles, figures, neighbourhoods.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<GraphResponse>)],
    errors: &[404],
    arguments: ArgumentSchema::of::<GraphArguments>,
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
    arguments: ArgumentSchema::of::<SymbolArguments>,
    timeout: Timeout::Default,
    call: |call| call.with(symbols),
};

async fn graph(backend: Arc<Backend>, arguments: GraphArguments) -> Result<Reply, Problem> {
    let request = arguments.request()?;
    Reply::ok(&backend.ask(arguments.project, move |engine| engine.graph(&request)).await?)
}

async fn symbols(backend: Arc<Backend>, arguments: SymbolArguments) -> Result<Reply, Problem> {
    let request = arguments.request();
    Reply::ok(&backend.ask(arguments.project, move |engine| engine.symbols(&request)).await?)
}
