//! `graph` and `symbols`: who imports whom, who calls whom, what a change reaches, and where a name is defined.

use schemars::SchemaGenerator;
use vectorcode_core::api::{GraphResponse, SymbolResponse};

use super::operation::{Answer, Call, Input, Operation, Patience, Reply};
use crate::http::problem::Problem;
use crate::structure;

pub(super) const GRAPH: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/graph/{action}",
    id: "graph",
    summary: "Answers from the code graph: dependencies, callers, impact, ways, cycles, figures, surroundings.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<GraphResponse>)],
    refusals: &[404],
    arguments: |_| structure::graph_arguments(),
    patience: Patience::Usual,
    call: |call| Box::pin(graph(call)),
};

pub(super) const SYMBOLS: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/symbols",
    id: "symbols",
    summary: "Finds definitions by name: exact, by prefix, by words, or nearly.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<SymbolResponse>)],
    refusals: &[404],
    arguments: |_| structure::symbol_arguments(),
    patience: Patience::Usual,
    call: |call| Box::pin(symbols(call)),
};

async fn graph(call: Call) -> Result<Reply, Problem> {
    let request = structure::graph_request(&call.arguments)?;
    let project = call.arguments.text("project");
    Reply::ok(&structure::ask(&call.backend, project, move |engine| engine.graph(&request)).await?)
}

async fn symbols(call: Call) -> Result<Reply, Problem> {
    let request = structure::symbol_request(&call.arguments);
    let project = call.arguments.text("project");
    Reply::ok(&structure::ask(&call.backend, project, move |engine| engine.symbols(&request)).await?)
}
