//! Questions about structure, from checked arguments to the engine's answer: the same for MCP and REST.

use vectorcode_core::DefinitionKind;
use vectorcode_core::api::{GraphAction, GraphQuery, GraphRequest, SymbolRequest};
use vectorcode_engine::{Engine, EngineError};

use crate::arguments::{Argument, Arguments};
use crate::backend::Backend;
use crate::failure::Failure;
use crate::mcp::texts::{PROJECT, graph, symbols};

const MOST_STEPS: u64 = 20;
const MOST_NODES: u64 = 1000;
const MOST_SYMBOLS: u64 = 100;

/// The argument of everything that asks one project.
pub(crate) fn project_argument() -> Argument {
    Argument::text("project", PROJECT)
}

pub(crate) fn graph_arguments() -> Vec<Argument> {
    vec![
        Argument::choice("action", graph::ACTION, &GraphAction::WORDS).required(),
        Argument::text("target", graph::TARGET),
        Argument::text("to", graph::TO),
        Argument::integer("depth", graph::DEPTH, 1, MOST_STEPS),
        Argument::integer("limit", graph::LIMIT, 1, MOST_NODES).or(GraphRequest::DEFAULT_LIMIT),
        project_argument(),
    ]
}

pub(crate) fn symbol_arguments() -> Vec<Argument> {
    vec![
        Argument::text("name", symbols::NAME).required(),
        Argument::choice("kind", symbols::KIND, &DefinitionKind::WORDS),
        Argument::text("path", symbols::PATH),
        Argument::integer("limit", symbols::LIMIT, 1, MOST_SYMBOLS).or(SymbolRequest::DEFAULT_LIMIT),
        project_argument(),
    ]
}

/// The request that arguments of [`graph_arguments`] describe.
pub(crate) fn graph_request(arguments: &Arguments) -> Result<GraphRequest, Failure> {
    let limit = arguments.count("limit").unwrap_or(GraphRequest::DEFAULT_LIMIT);
    Ok(GraphRequest { query: query(arguments)?, limit })
}

fn query(arguments: &Arguments) -> Result<GraphQuery, Failure> {
    let action = arguments.text("action").and_then(GraphAction::parse).unwrap_or(GraphAction::Show);
    let given = |name: &str| arguments.text(name).map(str::to_owned);
    let needed = |name: &str| {
        let missing = || Failure::mendable(format!("`{action}` needs `{name}`."), graph::TARGET);
        given(name).ok_or_else(missing)
    };
    let depth = arguments.count("depth").map_or(action.default_depth(), |depth| depth as u32);
    Ok(match action {
        GraphAction::Deps => GraphQuery::Deps { path: needed("target")?, depth },
        GraphAction::Dependents => GraphQuery::Dependents { path: needed("target")?, depth },
        GraphAction::Callers => GraphQuery::Callers { symbol: needed("target")?, depth },
        GraphAction::Callees => GraphQuery::Callees { symbol: needed("target")?, depth },
        GraphAction::Impact => GraphQuery::Impact { target: needed("target")?, depth },
        GraphAction::Path => GraphQuery::Path { from: needed("target")?, to: needed("to")? },
        GraphAction::Cycles => GraphQuery::Cycles,
        GraphAction::Stats => GraphQuery::Stats,
        GraphAction::Show => GraphQuery::Show { target: given("target"), depth },
    })
}

/// The request that arguments of [`symbol_arguments`] describe.
pub(crate) fn symbol_request(arguments: &Arguments) -> SymbolRequest {
    SymbolRequest {
        name: arguments.text("name").unwrap_or_default().to_owned(),
        kind: arguments.text("kind").and_then(DefinitionKind::parse),
        path: arguments.text("path").map(str::to_owned),
        limit: arguments.count("limit").unwrap_or(SymbolRequest::DEFAULT_LIMIT),
    }
}

/// Where the paths of an answer lead, for those who asked another project than the one at hand.
pub(crate) fn whereabouts(engine: &Engine, project: Option<&str>) -> Option<String> {
    project.map(|_| format!("Paths are relative to {}.", engine.project().root().display()))
}

/// Asks a project, without one the project at hand, once its index has had a moment to catch up.
pub(crate) async fn ask<T: Send + 'static>(
    backend: &Backend,
    project: Option<&str>,
    question: impl Fn(&Engine) -> Result<T, EngineError> + Send + Sync + 'static,
) -> Result<T, Failure> {
    backend.await_catch_up().await;
    let found = backend.ask(project, question).await?;
    backend.answer(found)
}
