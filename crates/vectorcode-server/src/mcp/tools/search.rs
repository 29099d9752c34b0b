//! `vec_search`: code by meaning.

use vectorcode_core::api::{Cursor, ProjectSelection, SearchRequest, SearchResponse, SearchTarget};
use vectorcode_core::config::SearchConfig;

use super::{Call, Effect, ToolSpec};
use crate::arguments::Argument;
use crate::mcp::answer::{Answer, Failure};
use crate::mcp::render::search::{SearchPage, schema};
use crate::mcp::texts::search as texts;
use crate::searching;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_search",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments,
    output: schema,
    call: |call| Box::pin(search(call)),
};

const FEWEST_TOKENS: u64 = 200;
const MOST_TOKENS: u64 = 100_000;

fn arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments = vec![Argument::text("query", texts::QUERY).required()];
    arguments.extend(filters(config));
    arguments
}

/// The arguments that both tools take beside what to look for.
pub(super) fn filters(config: &SearchConfig) -> Vec<Argument> {
    let projects = Argument::text("projects", texts::PROJECTS);
    searching::filters(config).into_iter().chain([projects]).chain(paging(config)).collect()
}

/// The arguments that bound an answer and lead on from it.
pub(super) fn paging(config: &SearchConfig) -> [Argument; 2] {
    [max_tokens(config), Argument::text("cursor", texts::CURSOR)]
}

/// How long an answer may be.
pub(super) fn max_tokens(config: &SearchConfig) -> Argument {
    Argument::integer("max_tokens", texts::MAX_TOKENS, FEWEST_TOKENS, MOST_TOKENS).or(config.max_tokens)
}

async fn search(call: Call) -> Result<Answer, Failure> {
    let query = call.arguments.text("query").unwrap_or_default().to_owned();
    answer(&call, SearchTarget::Query(query.clone()), &format!("\"{query}\"")).await
}

/// Searches for `target`, which the answer calls `subject`.
pub(super) async fn answer(call: &Call, target: SearchTarget, subject: &str) -> Result<Answer, Failure> {
    let request = request(call, target)?;
    let selection = call.arguments.text("projects").map(ProjectSelection::parse);
    let response = searching::search_among(&call.backend, request.clone(), selection).await?;
    Ok(page(call, &request, subject, response))
}

/// The request that a call describes.
pub(super) fn request(call: &Call, target: SearchTarget) -> Result<SearchRequest, Failure> {
    let cursor = call.arguments.text("cursor").map(cursor).transpose()?;
    Ok(SearchRequest { cursor, ..searching::request(&call.arguments, target) })
}

/// The page that answers `request`, which was about `subject`.
pub(super) fn page(
    call: &Call,
    request: &SearchRequest,
    subject: &str,
    mut response: SearchResponse,
) -> Answer {
    response.notes.extend(call.arguments.note_on_unknown());
    SearchPage {
        subject,
        threshold: request.threshold,
        start: request.cursor.map_or(0, |cursor| cursor.0),
        max_tokens: call.arguments.count("max_tokens").unwrap_or_default(),
        response: &response,
    }
    .render()
}

fn cursor(text: &str) -> Result<Cursor, Failure> {
    let place = text.trim().parse().map_err(|_| {
        Failure::mendable(
            format!("{text:?} is not a cursor."),
            "Pass the cursor of the answer before, or leave it out for the first page.",
        )
    })?;
    Ok(Cursor(place))
}
