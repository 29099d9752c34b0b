//! `vec_search`: code by meaning.

use vectorcode_core::api::{Cursor, SearchTarget};
use vectorcode_core::config::SearchConfig;

use super::{Call, Effect, ToolSpec};
use crate::arguments::Argument;
use crate::mcp::answer::{Answer, Failure};
use crate::mcp::render::search::{self as page, SearchPage};
use crate::mcp::texts::search as texts;
use crate::searching;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_search",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments,
    output: page::schema,
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
    let mut filters = searching::filters(config);
    filters.push(
        Argument::integer("max_tokens", texts::MAX_TOKENS, FEWEST_TOKENS, MOST_TOKENS).or(config.max_tokens),
    );
    filters.push(Argument::text("cursor", texts::CURSOR));
    filters
}

async fn search(call: Call) -> Result<Answer, Failure> {
    let query = call.arguments.text("query").unwrap_or_default().to_owned();
    answer(&call, SearchTarget::Query(query.clone()), &format!("\"{query}\"")).await
}

/// Searches for `target`, which the answer calls `subject`.
pub(super) async fn answer(call: &Call, target: SearchTarget, subject: &str) -> Result<Answer, Failure> {
    let mut request = searching::request(&call.arguments, target);
    request.cursor = call.arguments.text("cursor").map(cursor).transpose()?;
    let (start, threshold) = (request.cursor.map_or(0, |cursor| cursor.0), request.threshold);
    let mut response = searching::search(&call.backend, request, None).await?;
    response.notes.extend(call.arguments.note_on_unknown());
    let max_tokens = call.arguments.count("max_tokens").unwrap_or_default();
    Ok(SearchPage { subject, threshold, start, max_tokens, response: &response }.render())
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
