//! `context`: documents of the project that are known by name.

use schemars::SchemaGenerator;
use vectorcode_core::api::{ContextResponse, SearchResponse, SearchTarget};
use vectorcode_core::config::SearchConfig;
use vectorcode_engine::Engine;

use super::operation::{Answer, Call, Input, Operation, Patience, Reply};
use crate::arguments::Argument;
use crate::http::problem::Problem;
use crate::mcp::texts::search as texts;
use crate::searching;

pub(super) const LIST: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/context",
    id: "context",
    summary: "The context artifacts of the project, and how they are.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<ContextResponse>)],
    refusals: &[],
    arguments: |_| Vec::new(),
    patience: Patience::Usual,
    call: |call| Box::pin(async move { Reply::ok(&call.backend.run(Engine::artifacts).await??) }),
};

pub(super) const SEARCH: Operation = Operation {
    path: "/api/v1/context/search",
    id: "searchContext",
    summary: "Searches the context artifacts alone.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<SearchResponse>)],
    refusals: &[404],
    arguments: search_arguments,
    call: |call| Box::pin(search(call)),
    ..LIST
};

fn search_arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments = vec![
        Argument::text("q", texts::QUERY).required(),
        Argument::text("artifact", "Only the artifact of this name."),
    ];
    arguments.extend(searching::bounds(config));
    arguments
}

async fn search(call: Call) -> Result<Reply, Problem> {
    let query = call.arguments.text("q").unwrap_or_default().to_owned();
    let request = searching::request(&call.arguments, SearchTarget::Query(query));
    let artifact = call.arguments.text("artifact").map(str::to_owned);
    Reply::ok(&searching::search_context(&call.backend, request, artifact).await?)
}
