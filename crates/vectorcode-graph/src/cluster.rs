//! Collapses a large graph: replaces files by their folders until few enough nodes are left to draw.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use vectorcode_core::api::{GraphEdge, GraphNode, GraphResponse, NodeKind};
use vectorcode_core::parent_folder;

use crate::response_builder::bare_node;

/// Returns the graph with at most about `most` nodes, by merging whole folders into one node each if there are more. The start
/// nodes of the query are kept, as are nodes that are alone in their folder.
pub fn collapse(response: &GraphResponse, most: usize) -> GraphResponse {
    let keeps_asked = response.nodes.iter().any(|node| node.distance > 0);
    let is_free = |node: &GraphNode| keeps_asked && node.distance == 0 || node.kind == NodeKind::External;
    let deepest = response.nodes.iter().map(|node| folder(node).split('/').count()).max().unwrap_or(0);
    let mut groups: Vec<String> = Vec::new();
    for depth in (0..=deepest + 1).rev() {
        groups = response.nodes.iter().map(|node| group(node, depth, deepest, is_free(node))).collect();
        let count = groups.iter().collect::<FxHashSet<_>>().len();
        if count <= most {
            break;
        }
    }
    merged(response, &groups, most)
}

/// The group that a node is merged into when folders have at most `depth` parts. Beyond the deepest folder, every node is its own
/// group.
fn group(node: &GraphNode, depth: usize, deepest: usize, is_free: bool) -> String {
    if is_free || depth > deepest {
        return format!("\0{}\0{}\0{:?}", node.name, node.path.as_deref().unwrap_or_default(), node.line);
    }
    let parts: Vec<&str> = folder(node).split('/').take(depth).collect();
    parts.join("/")
}

/// The folder of a file, or of the file that contains a symbol.
pub(crate) fn folder(node: &GraphNode) -> &str {
    let path = match node.kind {
        NodeKind::Folder => return &node.name,
        NodeKind::External => return "",
        NodeKind::File | NodeKind::Symbol => node.path.as_deref().unwrap_or(&node.name),
    };
    parent_folder(path)
}

fn merged(response: &GraphResponse, groups: &[String], most: usize) -> GraphResponse {
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, group) in groups.iter().enumerate() {
        members.entry(group).or_default().push(place);
    }
    let mut shown: Vec<(Vec<usize>, GraphNode)> = members
        .into_iter()
        .map(|(group, places)| {
            let node = shown_node(response, group, &places);
            (places, node)
        })
        .collect();
    shown.sort_by(|(_, left), (_, right)| (left.distance, &left.name).cmp(&(right.distance, &right.name)));
    let truncated = response.truncated || shown.len() > most;
    shown.truncate(most.max(1));
    let mut place_of = FxHashMap::default();
    for (place, (places, _)) in shown.iter().enumerate() {
        place_of.extend(places.iter().map(|member| (*member, place)));
    }
    let edges = merged_edges(&response.edges, &place_of);
    let cycles = response.cycles.iter().filter_map(|cycle| {
        cycle.iter().map(|node| place_of.get(node).copied()).collect::<Option<Vec<usize>>>()
    });
    GraphResponse {
        cycles: cycles.collect(),
        nodes: shown.into_iter().map(|(_, node)| node).collect(),
        edges,
        truncated,
        ..response.clone()
    }
}

fn shown_node(response: &GraphResponse, group: &str, places: &[usize]) -> GraphNode {
    let nodes = || places.iter().map(|place| &response.nodes[*place]);
    if let [only] = places {
        return response.nodes[*only].clone();
    }
    let files: FxHashSet<&str> = nodes().map(|node| node.path.as_deref().unwrap_or(&node.name)).collect();
    let name = if group.is_empty() { "." } else { group };
    GraphNode {
        files: Some(files.len() as u32),
        is_test: nodes().all(|node| node.is_test),
        ..bare_node(name, NodeKind::Folder, nodes().map(|node| node.distance).min().unwrap_or(0))
    }
}

/// Merges edges between the same two nodes into one with their count. Edges within a node disappear.
fn merged_edges(edges: &[GraphEdge], place_of: &FxHashMap<usize, usize>) -> Vec<GraphEdge> {
    let mut merged: BTreeMap<(usize, usize), GraphEdge> = BTreeMap::new();
    for edge in edges {
        let (Some(from), Some(to)) = (place_of.get(&edge.from), place_of.get(&edge.to)) else { continue };
        if from == to {
            continue;
        }
        merged
            .entry((*from, *to))
            .and_modify(|known| {
                known.count += edge.count;
                known.line = None;
                known.confidence = known.confidence.min(edge.confidence);
                known.kind = known.kind.min(edge.kind);
            })
            .or_insert_with(|| GraphEdge { from: *from, to: *to, ..edge.clone() });
    }
    merged.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vectorcode_core::api::{Confidence, EdgeKind};

    fn project() -> GraphResponse {
        let names = ["src/a/one.ts", "src/a/two.ts", "src/b/three.ts", "src/b/four.ts", "main.ts"];
        let nodes = names.map(|name| bare_node(name, NodeKind::File, 0)).to_vec();
        let edge = |from, to| GraphEdge {
            from,
            to,
            kind: EdgeKind::Imports,
            confidence: Confidence::Certain,
            line: Some(1),
            uses: Vec::new(),
            count: 1,
        };
        let edges = vec![edge(0, 2), edge(1, 3), edge(0, 1), edge(4, 0)];
        GraphResponse { nodes, edges, total: 5, ..GraphResponse::default() }
    }

    fn shown(most: usize) -> (Vec<String>, Vec<(usize, usize, u32)>) {
        let small = collapse(&project(), most);
        let edges = small.edges.iter().map(|edge| (edge.from, edge.to, edge.count)).collect();
        (small.nodes.into_iter().map(|node| node.name).collect(), edges)
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(shown(5).0.len(), 5);
        assert_eq!(collapse(&project(), 9).edges.len(), 4);
    }

    #[test]
    fn folders_stand_for_their_files_and_edges_are_counted() {
        let (names, edges) = shown(4);
        assert_eq!(names, ["main.ts", "src/a", "src/b"]);
        assert_eq!(edges, [(0, 1, 1), (1, 2, 2)]);
        assert_eq!(shown(2).0, ["main.ts", "src"]);
    }

    #[test]
    fn what_was_asked_about_stays_itself() {
        let mut asked = project();
        for node in &mut asked.nodes[1..] {
            node.distance = 1;
        }
        let small = collapse(&asked, 4);
        assert_eq!(small.nodes[0].name, "src/a/one.ts");
        assert!(small.nodes.len() <= 4, "{:?}", small.nodes);
    }
}
