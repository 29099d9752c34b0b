//! Graph answers within the token budget: a list by distance, or a diagram.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use vectorcode_core::api::{
    Confidence, EdgeKind, GraphEdge, GraphNode, GraphQuery, GraphResponse, GraphStats, NodeKind,
};
use vectorcode_core::visible_line;
use vectorcode_engine::{collapse, diagram};

use super::units::grouped;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::budget::tokens;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Text,
    Mermaid,
    Dot,
}

/// How to render a graph answer.
pub(crate) struct GraphPage<'a> {
    pub(crate) query: &'a GraphQuery,
    pub(crate) format: Format,
    /// Maximum number of nodes in a diagram.
    pub(crate) limit: usize,
    pub(crate) max_tokens: usize,
}

impl GraphPage<'_> {
    /// Drops the most distant nodes until both the text and the value fit.
    pub(crate) fn render(&self, mut response: GraphResponse) -> ToolAnswer {
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

    fn once(&self, response: &GraphResponse) -> ToolAnswer {
        let text = match self.format {
            Format::Text => text(self.query, response),
            Format::Mermaid => diagram::mermaid(response),
            Format::Dot => diagram::dot(response),
        };
        ToolAnswer { text, structured: json!(response) }
    }
}

/// Drops a quarter of the nodes, or of the list of unconnected files; false when there is nothing left to drop.
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
        (GraphQuery::Path { .. }, _) => path(response),
        (GraphQuery::Show { target: None, .. }, _) => edges(response),
        _ => by_distance(query, response),
    };
    if response.truncated && response.stats.is_none() {
        let (shown, total) = (response.nodes.len(), response.total);
        let _ = write!(text, "\n({shown} of {total} nodes shown; raise `limit` or `max_tokens` for more)");
    }
    for note in &response.notes {
        let _ = write!(text, "\nNote: {note}");
    }
    text
}

/// The target, then every other node with the edge that leads to it.
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
        GraphQuery::Impact { .. } => "Affected by a change of",
        _ => "Neighbourhood of",
    };
    let reach = response.impact.map_or_else(String::new, |impact| {
        format!(
            "; {} files ({} with tests) and {} symbols in all",
            impact.files, impact.tests, impact.symbols
        )
    });
    if count == 0 { format!("{what} {asked}: none found") } else { format!("{what} {asked}: {count}{reach}") }
}

fn other(edge: &GraphEdge, at: usize) -> usize {
    if edge.from == at { edge.to } else { edge.from }
}

/// Name and location: of the use where an edge starts at this node, otherwise of the definition.
fn described(node: &GraphNode, use_here: Option<&GraphEdge>) -> String {
    let line = use_here.and_then(|edge| edge.line).or(node.line);
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    let location = match (&node.path, node.kind, node.files) {
        (Some(path), ..) => format!(" {}{line}", visible_line(path)),
        (None, NodeKind::External, _) => " (external)".to_owned(),
        (None, _, Some(files)) => format!("/ ({files} files)"),
        (None, ..) => line,
    };
    let test = if node.is_test { " (test)" } else { "" };
    format!("{}{location}{test}", visible_line(&node.name))
}

/// How a node is connected, unless that is obvious: beyond the first step, by use instead of call, or uncertain.
fn relation(response: &GraphResponse, edge: &GraphEdge, at: usize) -> String {
    let mut text = String::new();
    let nearer = &response.nodes[other(edge, at)];
    if nearer.distance > 0 {
        let direction = if edge.from == at { "to" } else { "from" };
        let _ = write!(text, " {direction} {}", visible_line(&nearer.name));
    }
    if edge.kind == EdgeKind::Uses {
        text.push_str(" [uses]");
    }
    if edge.confidence > Confidence::Certain {
        let _ = write!(text, " [{}]", edge.confidence.as_str());
    }
    text
}

fn path(response: &GraphResponse) -> String {
    let mut text = String::new();
    for (at, node) in response.nodes.iter().enumerate() {
        let edge = response.edges.iter().find(|edge| edge.to == at);
        let by = edge.and_then(|edge| edge.line).map_or_else(String::new, |line| format!(" (line {line})"));
        let arrow = if at == 0 { "" } else { "\n-> " };
        let _ = write!(text, "{arrow}{}{by}", described(node, None));
    }
    text
}

fn cycles(response: &GraphResponse) -> String {
    if response.cycles.is_empty() {
        return "There are no circular imports.".into();
    }
    let mut text = format!("{} groups of files with circular imports:", response.cycles.len());
    for cycle in &response.cycles {
        let names: Vec<_> =
            cycle.iter().chain(cycle.first()).map(|node| visible_line(&response.nodes[*node].name)).collect();
        let _ = write!(text, "\n- {}", names.join(" -> "));
    }
    text
}

fn edges(response: &GraphResponse) -> String {
    let mut text = format!("{} nodes, {} edges:", response.nodes.len(), response.edges.len());
    for edge in &response.edges {
        let name = |node: usize| visible_line(&response.nodes[node].name);
        let (from, to) = (name(edge.from), name(edge.to));
        let count = if edge.count > 1 { format!(" ({})", edge.count) } else { String::new() };
        let _ = write!(text, "\n- {from} -> {to}{count}");
    }
    text
}

fn figures(stats: &GraphStats) -> String {
    let counted = |counts: &[(String, u64)]| {
        counts
            .iter()
            .map(|(name, count)| format!("{} {}", visible_line(name), grouped(*count)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut text = format!(
        "{} code files, {} edges ({}), {} external packages, {} cycles",
        grouped(stats.files),
        grouped(stats.edges),
        counted(&stats.edges_by_language),
        grouped(stats.externals),
        grouped(stats.cycles)
    );
    text.push_str("\n\nMost connected");
    for file in &stats.most_connected {
        let path = visible_line(&file.path);
        let _ = write!(text, "\n- {path}: imported by {}, imports {}", file.importers, file.imports);
    }
    let _ = write!(text, "\n\nMost imported external packages: {}", counted(&stats.most_imported));
    let orphans: Vec<_> = stats.orphans.iter().map(|path| visible_line(path)).collect();
    let _ = write!(text, "\n\nFiles without connections: {}", orphans.join(", "));
    text
}
