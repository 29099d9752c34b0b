//! `graph` and `symbols`: who imports whom, who calls whom, what a change reaches, and where a name is defined.

use schemars::SchemaGenerator;
use vectorcode_core::DefinitionKind;
use vectorcode_core::api::{GraphQuery, GraphRequest, GraphResponse, SymbolRequest, SymbolResponse};

use super::operation::{Answer, Call, Input, Operation, Patience, Reply};
use super::search::project_argument;
use crate::arguments::{Argument, Arguments};
use crate::failure::Failure;
use crate::http::problem::Problem;

pub(super) const GRAPH: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/graph/{action}",
    id: "graph",
    summary: "Answers from the code graph: dependencies, callers, impact, ways, cycles, figures, surroundings.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<GraphResponse>)],
    refusals: &[404],
    arguments: |_| {
        vec![
            Argument::choice("action", ACTION, &ACTIONS).required(),
            Argument::text("target", TARGET),
            Argument::text("to", TO),
            Argument::integer("depth", DEPTH, 1, MOST_STEPS),
            Argument::integer("limit", LIMIT, 1, MOST_NODES).or(GraphRequest::DEFAULT_LIMIT),
            project_argument(),
        ]
    },
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
    arguments: |_| {
        vec![
            Argument::text("name", "The bare or qualified name, or a part of it.").required(),
            Argument::choice("kind", "Only definitions of this kind.", &KINDS),
            Argument::text("path", "Only files below this path prefix."),
            Argument::integer("limit", "Most definitions.", 1, MOST_SYMBOLS).or(SymbolRequest::DEFAULT_LIMIT),
            project_argument(),
        ]
    },
    patience: Patience::Usual,
    call: |call| Box::pin(symbols(call)),
};

const ACTIONS: [&str; 9] =
    ["deps", "dependents", "callers", "callees", "impact", "path", "cycles", "stats", "show"];
const KINDS: [&str; DefinitionKind::ALL.len()] = {
    let mut names = [""; DefinitionKind::ALL.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = DefinitionKind::ALL[place].as_str();
        place += 1;
    }
    names
};

const ACTION: &str = "deps: what a file imports; dependents: who imports it; callers and callees of a symbol; impact: \
                      what a change reaches; path: the shortest way to another file or symbol; cycles; stats; show: \
                      the surroundings, or without a target the whole project by folder.";
const TARGET: &str =
    "A file by its path, or a symbol by its bare or qualified name; `path#name` picks one of several.";
const TO: &str = "Where a `path` leads.";
const DEPTH: &str = "How many steps to follow; one when left out, for impact four.";
const LIMIT: &str = "Most nodes in the answer; the rest is counted.";
const MOST_STEPS: u64 = 20;
const MOST_NODES: u64 = 1000;
const MOST_SYMBOLS: u64 = 100;

async fn graph(call: Call) -> Result<Reply, Problem> {
    let limit = call.arguments.count("limit").unwrap_or(GraphRequest::DEFAULT_LIMIT);
    let request = GraphRequest { query: query(&call.arguments)?, limit };
    let project = call.arguments.text("project");
    Reply::ok(&call.backend.ask(project, move |engine| engine.graph(&request)).await??)
}

async fn symbols(call: Call) -> Result<Reply, Problem> {
    let arguments = &call.arguments;
    let request = SymbolRequest {
        name: arguments.text("name").unwrap_or_default().to_owned(),
        kind: arguments.text("kind").and_then(DefinitionKind::parse),
        path: arguments.text("path").map(str::to_owned),
        limit: arguments.count("limit").unwrap_or(SymbolRequest::DEFAULT_LIMIT),
    };
    let project = call.arguments.text("project");
    Reply::ok(&call.backend.ask(project, move |engine| engine.symbols(&request)).await??)
}

fn query(arguments: &Arguments) -> Result<GraphQuery, Failure> {
    let action = arguments.text("action").unwrap_or_default();
    let given = |name: &str| arguments.text(name).map(str::to_owned);
    let needed = |name: &str| {
        let missing = || Failure::mendable(format!("`{action}` needs `{name}`."), TARGET);
        given(name).ok_or_else(missing)
    };
    let steps = |usual: u32| arguments.count("depth").map_or(usual, |depth| depth as u32);
    let depth = steps(GraphRequest::DEFAULT_DEPTH);
    Ok(match action {
        "deps" => GraphQuery::Deps { path: needed("target")?, depth },
        "dependents" => GraphQuery::Dependents { path: needed("target")?, depth },
        "callers" => GraphQuery::Callers { symbol: needed("target")?, depth },
        "callees" => GraphQuery::Callees { symbol: needed("target")?, depth },
        "impact" => {
            GraphQuery::Impact { target: needed("target")?, depth: steps(GraphRequest::IMPACT_DEPTH) }
        }
        "path" => GraphQuery::Path { from: needed("target")?, to: needed("to")? },
        "cycles" => GraphQuery::Cycles,
        "stats" => GraphQuery::Stats,
        _ => GraphQuery::Show { target: given("target"), depth },
    })
}
