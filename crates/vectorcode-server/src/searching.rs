//! A search, from checked arguments to the engine's answer: the same for MCP and REST.

use std::path::Path;

use vectorcode_core::api::{
    ArtifactFilter, ClassFilter, Cursor, ProjectSelection, SearchMode, SearchRequest, SearchResponse,
    SearchTarget, TestFilter,
};
use vectorcode_core::config::SearchConfig;
use vectorcode_engine::{Engine, EngineError};

use crate::arguments::{Argument, Arguments};
use crate::backend::Backend;
use crate::failure::Failure;
use crate::mcp::texts::{search as texts, similar};

const MOST_RESULTS: u64 = 100;

const STILL_READING: &str =
    "The index is being brought up to date right now; these results come from what it has so far.";

/// How many results a search may have, and how good they must be.
pub(crate) fn bounds(config: &SearchConfig) -> [Argument; 2] {
    [
        Argument::integer("limit", texts::LIMIT, 1, MOST_RESULTS).or(config.default_limit),
        Argument::number("threshold", texts::THRESHOLD, 0.0, 1.0).or(config.default_threshold),
    ]
}

/// The arguments that every kind of search of code takes on every face.
pub(crate) fn filters(config: &SearchConfig) -> Vec<Argument> {
    let mut filters = Vec::from(bounds(config));
    filters.extend([
        Argument::text("language", texts::LANGUAGE),
        Argument::text("path", texts::PATH),
        Argument::text("kind", texts::KIND),
        Argument::choice("class", texts::CLASS, &ClassFilter::WORDS).or(ClassFilter::default().as_str()),
        Argument::choice("tests", texts::TESTS, &TestFilter::WORDS).or(TestFilter::default().as_str()),
        Argument::choice("artifacts", texts::ARTIFACTS, &ArtifactFilter::WORDS)
            .or(ArtifactFilter::default().as_str()),
        Argument::choice("mode", texts::MODE, &SearchMode::WORDS).or(SearchMode::default().as_str()),
        Argument::flag("context", texts::NEIGHBOURS).or(false),
    ]);
    filters
}

/// The arguments that say what similar code is looked for.
pub(crate) fn likeness() -> Vec<Argument> {
    vec![Argument::text("snippet", similar::SNIPPET), Argument::text("location", similar::LOCATION)]
}

/// The request that arguments of [`filters`] describe; those that a caller does not offer are as usual.
pub(crate) fn request(arguments: &Arguments, target: SearchTarget) -> SearchRequest {
    let mut request = SearchRequest::new(target);
    request.limit = arguments.count("limit").unwrap_or(request.limit);
    request.threshold = arguments.number("threshold").map_or(request.threshold, |number| number as f32);
    request.languages = arguments.text("language").map(names).unwrap_or_default();
    request.path = arguments.text("path").map(str::to_owned);
    request.kind = arguments.text("kind").map(str::to_owned);
    request.class = arguments.choice("class");
    request.tests = arguments.choice("tests");
    request.artifacts = arguments.choice("artifacts");
    request.mode = arguments.choice("mode");
    request.explain = arguments.flag("explain");
    request.neighbours = arguments.flag("context");
    request.cursor = arguments.count("cursor").map(Cursor);
    request
}

/// The target that arguments of [`likeness`] describe.
pub(crate) fn similar_target(arguments: &Arguments) -> Result<SearchTarget, Failure> {
    match (arguments.text("snippet"), arguments.text("location")) {
        (Some(snippet), None) => Ok(SearchTarget::Snippet(snippet.to_owned())),
        (None, Some(location)) => {
            let (path, line) = place(location)?;
            Ok(SearchTarget::Location { path: path.to_owned(), line })
        }
        _ => Err(Failure::mendable(
            "Give either `snippet` or `location`.",
            "`location` is a file and a line of this project, for example \"src/payment/retry.ts:45\".",
        )),
    }
}

/// Searches the projects of that selection, without one the project at hand.
pub(crate) async fn search_among(
    backend: &Backend,
    request: SearchRequest,
    selection: Option<ProjectSelection>,
) -> Result<SearchResponse, Failure> {
    let Some(selection) = selection else { return search(backend, request, None).await };
    backend.await_catch_up().await;
    let request = confined(backend.engine(), &request)?;
    let projects = backend.projects().clone();
    Ok(backend.run(move |_| projects.search(&request, &selection)).await??)
}

/// Searches the registered project of that name, without one the project at hand, once its index has had its chance
/// to catch up with the disk.
pub(crate) async fn search(
    backend: &Backend,
    request: SearchRequest,
    project: Option<&str>,
) -> Result<SearchResponse, Failure> {
    backend.await_catch_up().await;
    let reading = backend.is_reading_files() && project.is_none();
    let found = backend.ask(project, move |engine| engine.search(&confined(engine, &request)?)).await?;
    finish(backend, found, reading)
}

/// Searches the context artifacts of the project at hand, all or the one that is named.
pub(crate) async fn search_context(
    backend: &Backend,
    request: SearchRequest,
    artifact: Option<String>,
) -> Result<SearchResponse, Failure> {
    backend.await_catch_up().await;
    let reading = backend.is_reading_files();
    let found = backend.run(move |engine| engine.search_context(&request, artifact.as_deref())).await?;
    finish(backend, found, reading)
}

/// Says what the caller should know about an index that is still being read.
fn finish(
    backend: &Backend,
    found: Result<SearchResponse, EngineError>,
    reading: bool,
) -> Result<SearchResponse, Failure> {
    let mut response = backend.answer(found)?;
    response.notes.extend(reading.then(|| STILL_READING.into()));
    Ok(response)
}

/// A place that the caller gave, as the index of the project names it.
fn confined(engine: &Engine, request: &SearchRequest) -> Result<SearchRequest, EngineError> {
    let mut request = request.clone();
    if let SearchTarget::Location { path, .. } = &mut request.target {
        *path = engine.project().relative(Path::new(path))?;
    }
    Ok(request)
}

fn names(list: &str) -> Vec<String> {
    list.split(',').map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect()
}

/// `src/a.rs:45`, `src/a.rs:45-92` and `src/a.rs:45:7` all mean line 45.
fn place(location: &str) -> Result<(&str, u32), Failure> {
    let bad = || {
        Failure::mendable(
            format!("{location:?} is not a place in a file."),
            "Write it as file:line, for example \"src/payment/retry.ts:45\".",
        )
    };
    let mut rest = location.trim();
    let mut line = None;
    while let Some((before, after)) = rest.rsplit_once(':') {
        let Ok(number) = after.split('-').next().unwrap_or(after).parse::<u32>() else { break };
        (rest, line) = (before, Some(number));
    }
    line.filter(|line| *line > 0 && !rest.is_empty()).map(|line| (rest, line)).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_in_all_usual_forms() {
        for form in ["src/a.rs:45", "src/a.rs:45-92", "src/a.rs:45:7", " src/a.rs:45 "] {
            assert_eq!(place(form).unwrap(), ("src/a.rs", 45), "{form}");
        }
        assert_eq!(place("C:\\a.rs:3").unwrap(), ("C:\\a.rs", 3));
        for form in ["src/a.rs", "src/a.rs:", "src/a.rs:0", ":5", "src/a.rs:x"] {
            assert!(place(form).is_err(), "{form}");
        }
    }
}
