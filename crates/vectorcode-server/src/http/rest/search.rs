//! `search` and `similar`: code by meaning, and code like other code.

use schemars::SchemaGenerator;
use vectorcode_core::api::{ProjectSelection, SearchTarget};
use vectorcode_core::config::SearchConfig;

use super::markup::{self, SearchAnswer};
use super::operation::{Answer, Call, Input, Operation, Patience, Reply};
use crate::arguments::Argument;
use crate::http::problem::Problem;
use crate::mcp::texts::search as texts;
use crate::{searching, structure};

pub(super) const SEARCH: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/search",
    id: "search",
    summary: "Finds code by what it does.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<SearchAnswer>)],
    refusals: &[404],
    arguments: search_arguments,
    patience: Patience::Usual,
    call: |call| Box::pin(search(call)),
};

pub(super) const SEARCH_POST: Operation = Operation {
    input: Input::Json,
    id: "searchLong",
    summary: "Finds code by what it does; for queries too long for a URL.",
    ..SEARCH
};

pub(super) const SIMILAR: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/similar",
    id: "similar",
    summary: "Finds code like a piece of code: give either `snippet` or `location`.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<SearchAnswer>)],
    refusals: &[404],
    arguments: similar_arguments,
    patience: Patience::Usual,
    call: |call| Box::pin(similar(call)),
};

pub(super) const SIMILAR_POST: Operation = Operation {
    input: Input::Json,
    id: "similarLong",
    summary: "Finds code like a piece of code; for snippets too long for a URL.",
    ..SIMILAR
};

/// Further down a ranked list nobody looks.
const FARTHEST_CURSOR: u64 = 100_000;
const CURSOR: &str =
    "The `next` of an earlier answer, to get its next page. Repeat the other arguments unchanged.";
const EXPLAIN: &str = "Say what each signal added to each score.";

fn search_arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments = vec![Argument::text("q", texts::QUERY).required()];
    arguments.extend(filters(config));
    arguments.push(Argument::text("projects", texts::PROJECTS));
    arguments
}

fn similar_arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments = searching::likeness();
    arguments.extend(filters(config));
    arguments.push(structure::project_argument());
    arguments
}

fn filters(config: &SearchConfig) -> Vec<Argument> {
    let mut filters = searching::filters(config);
    filters.push(Argument::integer("cursor", CURSOR, 0, FARTHEST_CURSOR));
    filters.push(Argument::flag("explain", EXPLAIN).or(false));
    filters.push(markup::argument());
    filters
}

async fn search(call: Call) -> Result<Reply, Problem> {
    let query = call.arguments.text("q").unwrap_or_default().to_owned();
    let target = SearchTarget::Query(query);
    let request = searching::request(&call.arguments, target.clone());
    let selection = call.arguments.text("projects").map(ProjectSelection::parse);
    let response = searching::search_among(&call.backend, request, selection).await?;
    Reply::ok(&markup::mark(&call, target, response).await?)
}

async fn similar(call: Call) -> Result<Reply, Problem> {
    let target = searching::similar_target(&call.arguments)?;
    let request = searching::request(&call.arguments, target.clone());
    let response = searching::search(&call.backend, request, call.arguments.text("project")).await?;
    Reply::ok(&markup::mark(&call, target, response).await?)
}
