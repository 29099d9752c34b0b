//! Structure queries on small projects with hand-written expectations.

mod asking;
mod edit;
mod ground_truth;
mod incremental;
mod languages;
mod names;
mod uses;

use vectorcode_core::api::{GraphQuery, GraphRequest, GraphResponse};
use vectorcode_engine::Engine;

use crate::project::{Indexed, index_with};
use vectorcode_core::api::IndexRequest;

/// A project indexed by stage one only.
fn indexed(files: &[(&str, &str)]) -> Indexed {
    let project = Indexed::new(files);
    read(&project.engine);
    project
}

/// Runs stage one, which is all that the graph needs.
fn read(engine: &Engine) {
    index_with(engine, &IndexRequest { stage_one_only: true, ..IndexRequest::default() }).unwrap();
}

fn ask(engine: &Engine, query: GraphQuery) -> GraphResponse {
    engine.graph(&GraphRequest { query, limit: 1000 }).unwrap()
}

fn callers(engine: &Engine, symbol: &str) -> Vec<String> {
    let response = ask(engine, GraphQuery::Callers { symbol: symbol.into(), depth: 1 });
    neighbours(&response, |edge| (edge.to, edge.from))
}

fn callees(engine: &Engine, symbol: &str) -> Vec<String> {
    let response = ask(engine, GraphQuery::Callees { symbol: symbol.into(), depth: 1 });
    neighbours(&response, |edge| (edge.from, edge.to))
}

/// `name in path, confidence` of every node at distance 1, sorted.
fn neighbours(
    response: &GraphResponse,
    ends: impl Fn(&vectorcode_core::api::GraphEdge) -> (usize, usize),
) -> Vec<String> {
    let mut found: Vec<String> = response
        .edges
        .iter()
        .filter(|edge| response.nodes[ends(edge).0].distance == 0)
        .map(|edge| {
            let node = &response.nodes[ends(edge).1];
            let name = node.path.as_ref().map_or(node.name.clone(), |path| format!("{path}#{}", node.name));
            format!("{name} {}", edge.confidence.as_str())
        })
        .collect();
    found.sort();
    found
}
