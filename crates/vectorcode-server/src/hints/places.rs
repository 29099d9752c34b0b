//! Chooses the locations that a hint names, and decides when there is none.

use std::path::Path;

use vectorcode_core::api::{
    ClassFilter, Freshness, GraphNode, GraphQuery, GraphRequest, Hit, NodeKind, SearchMode, SearchRequest,
};
use vectorcode_core::numbers::first_and_more;
use vectorcode_engine::{Engine, EngineError};

use super::{AgentAction, HintRequest, MAX_LINES};

/// If the best hit has a lower score, the hint is not certain enough to interrupt an agent.
const MIN_BEST_SCORE: f32 = 0.7;
/// Further hits are named if they have at least this fraction of the best score.
const MIN_RELATIVE_SCORE: f32 = 0.85;
/// If the first hit that no longer fits into the hint has at least this fraction of the best score, no hit is clearly the best
/// and there is no hint.
const EQUAL_SCORE: f32 = 0.99;
/// Hits to consider: the agent may already have seen some of them.
const CANDIDATES: usize = 8;
/// Maximum number of files named in a line.
const NAMED_FILES: usize = 3;
/// If this many files import a file, naming a few of them is of no use.
const MAX_USERS: usize = 200;

pub(super) fn places(engine: &Engine, request: &HintRequest) -> Result<Vec<String>, EngineError> {
    let root = (!request.in_root).then(|| engine.project().root());
    match &request.action {
        AgentAction::Searched { words, output } => searched(engine, words, output.as_deref(), root),
        AgentAction::Read { path } => users(engine, path, root),
    }
}

/// A path as the agent can open it from its working directory.
fn shown(path: &str, root: Option<&Path>) -> String {
    root.map_or_else(|| path.to_owned(), |root| root.join(path).display().to_string())
}

/// The best locations for the words, without those that the agent already has in its output.
fn searched(
    engine: &Engine,
    words: &str,
    output: Option<&str>,
    root: Option<&Path>,
) -> Result<Vec<String>, EngineError> {
    let request = SearchRequest {
        mode: SearchMode::Fast,
        class: ClassFilter::Code,
        limit: CANDIDATES,
        threshold: Some(MIN_BEST_SCORE * MIN_RELATIVE_SCORE),
        ..SearchRequest::query(words)
    };
    let hits = engine.search(&request)?.hits;
    let best = hits.first().map_or(0.0, |hit| hit.score);
    let is_level = hits.get(MAX_LINES).is_some_and(|next| next.score >= best * EQUAL_SCORE);
    if best < MIN_BEST_SCORE || is_level {
        return Ok(Vec::new());
    }
    let is_sure = |hit: &&Hit| hit.score >= best * MIN_RELATIVE_SCORE;
    let is_there = |hit: &&Hit| !matches!(hit.freshness, Freshness::Stale { .. });
    let is_new = |hit: &&Hit| output.is_none_or(|output| !output.contains(&hit.path));
    let line = |hit: &Hit| {
        let place = format!("{}:{}-{}", shown(&hit.path, root), hit.start_line, hit.end_line);
        hit.symbol.as_ref().map_or_else(|| place.clone(), |symbol| format!("{place} {symbol}"))
    };
    let lines = hits.iter().take_while(is_sure).filter(is_there).filter(is_new).take(MAX_LINES).map(line);
    Ok(lines.collect())
}

/// The files that import a file that the agent has read: code, and tests.
fn users(engine: &Engine, path: &str, root: Option<&Path>) -> Result<Vec<String>, EngineError> {
    let query = GraphQuery::Dependents { path: path.to_owned(), depth: 1 };
    let nodes = engine.graph(&GraphRequest { query, limit: MAX_USERS })?.nodes;
    let users = nodes.iter().filter(|node| node.distance == 1 && node.kind == NodeKind::File);
    let (tests, code): (Vec<_>, Vec<_>) = users.partition(|node| node.is_test);
    let line = |what: &str, files: &[&GraphNode]| {
        let named = first_and_more(files.iter().map(|node| shown(&node.name, root)), NAMED_FILES);
        (!files.is_empty()).then(|| format!("{path} is {what} {named}"))
    };
    Ok(line("imported by", &code).into_iter().chain(line("tested in", &tests)).collect())
}
