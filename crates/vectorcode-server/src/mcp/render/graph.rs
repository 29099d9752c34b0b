//! Answers about structure: a list by distance, or a diagram, within the budget.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::{Value, json};
use vectorcode_core::api::{
    Confidence, EdgeKind, GraphEdge, GraphNode, GraphQuery, GraphResponse, GraphStats, NodeKind,
};
use vectorcode_engine::{collapse, diagram};

use super::grouped;
use crate::mcp::answer::Answer;
use crate::mcp::budget::tokens;
use crate::mcp::tools::output_schema;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Text,
    Mermaid,
    Dot,
}

/// How an answer is to look.
pub(crate) struct GraphPage<'a> {
    pub(crate) query: &'a GraphQuery,
    pub(crate) format: Format,
    /// Most nodes of a diagram.
    pub(crate) limit: usize,
    pub(crate) max_tokens: usize,
}

impl GraphPage<'_> {
    /// Leaves the farthest nodes out until both looks of the answer fit.
    pub(crate) fn render(&self, mut response: GraphResponse) -> Answer {
        if self.format != Format::Text {
            response = collapse(&response, self.limit);
        }
        loop {
            let answer = self.once(&response);
            let cost = tokens(&answer.text).max(tokens(&answer.structured.to_string()));
            if cost <= self.max_tokens || !shorten(&mut response) {
                return answer;
            }
        }
    }

    fn once(&self, response: &GraphResponse) -> Answer {
        let text = match self.format {
            Format::Text => text(self.query, response),
            Format::Mermaid => diagram::mermaid(response),
            Format::Dot => diagram::dot(response),
        };
        Answer { text, structured: json!(response) }
    }
}

/// Takes a quarter of the nodes away, or of the lists of figures; false when there is nothing more to take.
fn shorten(response: &mut GraphResponse) -> bool {
    if let Some(stats) = &mut response.stats {
        let kept = stats.orphans.len() * 3 / 4;
        let shorter = kept < stats.orphans.len();
        stats.orphans.truncate(kept);
        response.truncated |= shorter;
        return shorter;
    }
    let kept = response.nodes.len() * 3 / 4;
    if kept == 0 || kept == response.nodes.len() {
        return false;
    }
    response.nodes.truncate(kept);
    response.edges.retain(|edge| edge.from < kept && edge.to < kept);
    response.cycles.retain(|cycle| cycle.iter().all(|node| *node < kept));
    response.truncated = true;
    true
}

fn text(query: &GraphQuery, response: &GraphResponse) -> String {
    let mut text = match (query, &response.stats) {
        (_, Some(stats)) => figures(stats),
        (GraphQuery::Cycles, _) => cycles(response),
        (GraphQuery::Path { .. }, _) => way(response),
        (GraphQuery::Show { target: None, .. }, _) => edges(response),
        _ => by_distance(query, response),
    };
    if response.truncated && response.stats.is_none() {
        let (shown, total) = (response.nodes.len(), response.total);
        let _ = write!(text, "\n({shown} of {total} nodes are shown; raise `limit` or `max_tokens`)");
    }
    for note in &response.notes {
        let _ = write!(text, "\nNote: {note}");
    }
    text
}

/// What was asked about, then every node with the edge that leads to it.
fn by_distance(query: &GraphQuery, response: &GraphResponse) -> String {
    let mut text = heading(query, response);
    let mut distance = 0;
    for (at, node) in response.nodes.iter().enumerate().filter(|(_, node)| node.distance > 0) {
        if node.distance > distance {
            distance = node.distance;
            let plural = if distance == 1 { "" } else { "s" };
            let _ = write!(text, "\n\n{distance} step{plural}");
        }
        let leads_here = |edge: &&GraphEdge| {
            (edge.from == at || edge.to == at) && response.nodes[other(edge, at)].distance < node.distance
        };
        let edge = response.edges.iter().filter(leads_here).min_by_key(|edge| edge.confidence);
        let _ = write!(text, "\n- {}", described(node, edge.filter(|edge| edge.from == at)));
        if let Some(edge) = edge {
            text.push_str(&relation(response, edge, at));
        }
    }
    text
}

fn heading(query: &GraphQuery, response: &GraphResponse) -> String {
    let asked: Vec<String> = response
        .nodes
        .iter()
        .filter(|node| node.distance == 0)
        .take(5)
        .map(|node| described(node, None))
        .collect();
    let asked = asked.join("; ");
    let count = response.nodes.iter().filter(|node| node.distance > 0).count();
    let what = match query {
        GraphQuery::Deps { .. } => "Imports of",
        GraphQuery::Dependents { .. } => "Importers of",
        GraphQuery::Callers { .. } => "Callers of",
        GraphQuery::Callees { .. } => "Callees of",
        GraphQuery::Impact { .. } => "What a change may reach of",
        _ => "Around",
    };
    let reach = response.impact.map_or_else(String::new, |impact| {
        format!(
            "; {} files ({} with tests) and {} symbols in all",
            impact.files, impact.tests, impact.symbols
        )
    });
    if count == 0 { format!("{what} {asked}: none known") } else { format!("{what} {asked}: {count}{reach}") }
}

fn other(edge: &GraphEdge, at: usize) -> usize {
    if edge.from == at { edge.to } else { edge.from }
}

/// Name and place: of the use where an edge starts here, else of the definition.
fn described(node: &GraphNode, use_here: Option<&GraphEdge>) -> String {
    let line = use_here.and_then(|edge| edge.line).or(node.line);
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    let place = match (&node.path, node.kind, node.files) {
        (Some(path), ..) => format!(" {path}{line}"),
        (None, NodeKind::External, _) => " (external)".to_owned(),
        (None, _, Some(files)) => format!("/ ({files} files)"),
        (None, ..) => line,
    };
    let test = if node.is_test { " (test)" } else { "" };
    format!("{}{place}{test}", node.name)
}

/// How a node is connected, where that is not plain: beyond the first step, by use instead of call, or in doubt.
fn relation(response: &GraphResponse, edge: &GraphEdge, at: usize) -> String {
    let mut text = String::new();
    let nearer = &response.nodes[other(edge, at)];
    if nearer.distance > 0 {
        let way = if edge.from == at { "to" } else { "from" };
        let _ = write!(text, " {way} {}", nearer.name);
    }
    if edge.kind == EdgeKind::Uses {
        text.push_str(" [uses]");
    }
    if edge.confidence > Confidence::Certain {
        let _ = write!(text, " [{}]", edge.confidence.as_str());
    }
    text
}

fn way(response: &GraphResponse) -> String {
    let mut text = String::new();
    for (at, node) in response.nodes.iter().enumerate() {
        let edge = response.edges.iter().find(|edge| edge.to == at);
        let by =
            edge.and_then(|edge| edge.line).map_or_else(String::new, |line| format!(" (by line {line})"));
        let arrow = if at == 0 { "" } else { "\n-> " };
        let _ = write!(text, "{arrow}{}{by}", described(node, None));
    }
    text
}

fn cycles(response: &GraphResponse) -> String {
    if response.cycles.is_empty() {
        return "There are no circular imports.".into();
    }
    let mut text = format!("{} groups of files import each other in a circle:", response.cycles.len());
    for cycle in &response.cycles {
        let names: Vec<&str> =
            cycle.iter().chain(cycle.first()).map(|node| response.nodes[*node].name.as_str()).collect();
        let _ = write!(text, "\n- {}", names.join(" -> "));
    }
    text
}

fn edges(response: &GraphResponse) -> String {
    let mut text = format!("{} nodes, {} edges:", response.nodes.len(), response.edges.len());
    for edge in &response.edges {
        let (from, to) = (&response.nodes[edge.from].name, &response.nodes[edge.to].name);
        let count = if edge.count > 1 { format!(" ({})", edge.count) } else { String::new() };
        let _ = write!(text, "\n- {from} -> {to}{count}");
    }
    text
}

fn figures(stats: &GraphStats) -> String {
    let counted = |counts: &[(String, u64)]| {
        counts
            .iter()
            .map(|(name, count)| format!("{name} {}", grouped(*count)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut text = format!(
        "{} code files, {} edges ({}), {} external modules, {} cycles",
        grouped(stats.files),
        grouped(stats.edges),
        counted(&stats.edges_by_language),
        grouped(stats.externals),
        grouped(stats.cycles)
    );
    text.push_str("\n\nMost connected");
    for file in &stats.most_connected {
        let _ = write!(text, "\n- {}: imported by {}, imports {}", file.path, file.importers, file.imports);
    }
    let _ = write!(text, "\n\nMost imported from outside: {}", counted(&stats.most_imported));
    let _ = write!(text, "\n\nConnected with nothing: {}", stats.orphans.join(", "));
    text
}

/// The shape of the value beside the text.
pub(crate) fn schema() -> Value {
    let node = output_schema(
        json!({
            "name": {"type": "string", "description": "A path, a qualified name, or a module."},
            "kind": {"type": "string", "enum": ["file", "symbol", "external", "folder"]},
            "path": {"type": "string", "description": "Where a symbol is defined."},
            "line": {"type": "integer"},
            "definition": {"type": "string"},
            "files": {"type": "integer", "description": "How many files a folder stands for."},
            "is_test": {"type": "boolean"},
            "distance": {"type": "integer", "description": "Steps from what was asked about."},
        }),
        &["name", "kind", "is_test", "distance"],
    );
    let edge = output_schema(
        json!({
            "from": {"type": "integer", "description": "Place in `nodes`."},
            "to": {"type": "integer"},
            "kind": {"type": "string", "enum": ["imports", "calls", "uses"]},
            "confidence": {"type": "string", "enum": ["certain", "likely", "possible", "guess"]},
            "line": {"type": "integer", "description": "Of the first use, in the file of `from`."},
            "count": {"type": "integer"},
        }),
        &["from", "to", "kind", "confidence", "count"],
    );
    output_schema(
        json!({
            "nodes": {"type": "array", "items": node},
            "edges": {"type": "array", "items": edge},
            "cycles": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "stats": {"type": "object"},
            "impact": {"type": "object"},
            "total": {"type": "integer"},
            "truncated": {"type": "boolean"},
            "notes": {"type": "array", "items": {"type": "string"}},
        }),
        &["nodes", "edges", "total", "truncated", "notes"],
    )
}
