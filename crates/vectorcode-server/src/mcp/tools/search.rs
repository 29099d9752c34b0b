//! `vec_search`: code by meaning.

use std::time::Duration;

use vectorcode_core::api::{Cursor, SearchRequest, SearchResponse, SearchTarget};
use vectorcode_core::config::SearchConfig;

use super::{Call, Effect, ToolSpec};
use crate::backend::Backend;
use crate::mcp::answer::{Answer, Failure};
use crate::mcp::arguments::{Argument, Arguments};
use crate::mcp::render::search::{self as page, SearchPage};
use crate::mcp::texts::search as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_search",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments,
    output: page::schema,
    call: |call| Box::pin(search(call)),
};

const MOST_RESULTS: u64 = 100;
const FEWEST_TOKENS: u64 = 200;
const MOST_TOKENS: u64 = 100_000;
/// How long a search waits for the index to catch up with the disk when the server has just started.
const CATCH_UP_PATIENCE: Duration = Duration::from_secs(5);

fn arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments = vec![Argument::text("query", texts::QUERY).required()];
    arguments.extend(filters(config));
    arguments
}

/// The arguments that every kind of search takes.
pub(super) fn filters(config: &SearchConfig) -> Vec<Argument> {
    vec![
        Argument::integer("limit", texts::LIMIT, 1, MOST_RESULTS).or(config.default_limit),
        Argument::number("threshold", texts::THRESHOLD, 0.0, 1.0).or(rounded(config.default_threshold)),
        Argument::text("language", texts::LANGUAGE),
        Argument::text("path", texts::PATH),
        Argument::text("kind", texts::KIND),
        Argument::choice("class", texts::CLASS, &["all", "code", "docs", "config"]).or("all"),
        Argument::choice("tests", texts::TESTS, &["demote", "include", "exclude", "only"]).or("demote"),
        Argument::choice("mode", texts::MODE, &["auto", "fast", "semantic"]).or("auto"),
        Argument::integer("max_tokens", texts::MAX_TOKENS, FEWEST_TOKENS, MOST_TOKENS).or(config.max_tokens),
        Argument::text("cursor", texts::CURSOR),
    ]
}

/// 0.3 as a person writes it, not as an `f32` stores it.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1000.0).round() / 1000.0
}

async fn search(call: Call) -> Result<Answer, Failure> {
    let query = call.arguments.text("query").unwrap_or_default().to_owned();
    answer(&call, SearchTarget::Query(query.clone()), &format!("\"{query}\"")).await
}

/// Searches for `target`, which the answer calls `subject`.
pub(super) async fn answer(call: &Call, target: SearchTarget, subject: &str) -> Result<Answer, Failure> {
    let request = request(&call.arguments, target)?;
    let (start, threshold) = (request.cursor.map_or(0, |cursor| cursor.0), request.threshold);
    call.backend.await_catch_up(CATCH_UP_PATIENCE).await;
    let mut response = ask(&call.backend, request).await?;
    response.notes.extend(call.arguments.note_on_unknown());
    let max_tokens = call.arguments.count("max_tokens").unwrap_or_default();
    Ok(SearchPage { subject, threshold, start, max_tokens, response: &response }.render())
}

async fn ask(backend: &Backend, request: SearchRequest) -> Result<SearchResponse, Failure> {
    let reading = backend.is_reading_files();
    let found = backend.run(move |engine| engine.search(&request)).await?;
    match found {
        Ok(mut response) => {
            if reading {
                response.notes.push(page::STILL_READING.into());
            }
            Ok(response)
        }
        Err(_) if backend.is_making_first_index() => Err(Failure::mendable(
            page::NO_INDEX_YET,
            "Ask again in a few seconds; `vec_status` shows how far it is.",
        )),
        Err(error) => Err(error.into()),
    }
}

fn request(arguments: &Arguments, target: SearchTarget) -> Result<SearchRequest, Failure> {
    let mut request = SearchRequest::new(target);
    request.limit = arguments.count("limit").unwrap_or(request.limit);
    request.threshold = arguments.number("threshold").map_or(request.threshold, |number| number as f32);
    request.languages = arguments.text("language").map(names).unwrap_or_default();
    request.path = arguments.text("path").map(str::to_owned);
    request.kind = arguments.text("kind").map(str::to_owned);
    request.class = arguments.choice("class");
    request.tests = arguments.choice("tests");
    request.mode = arguments.choice("mode");
    request.cursor = arguments.text("cursor").map(cursor).transpose()?;
    Ok(request)
}

fn names(list: &str) -> Vec<String> {
    list.split(',').map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect()
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
