//! Draws graph responses: Mermaid for documents and chats, DOT for Graphviz.

mod dot;
mod mermaid;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use vectorcode_core::api::{Confidence, GraphEdge, GraphNode, GraphResponse, NodeKind};
use vectorcode_core::file_name;

pub use dot::dot;
pub use mermaid::mermaid;

use crate::cluster::folder;

/// The nodes by folder, in the order of folders. Folders are drawn as frames, except for the empty one.
fn by_folder(response: &GraphResponse) -> BTreeMap<&str, Vec<(usize, &GraphNode)>> {
    let mut folders: BTreeMap<&str, Vec<(usize, &GraphNode)>> = BTreeMap::new();
    for (place, node) in response.nodes.iter().enumerate() {
        let frame = if node.kind == NodeKind::Folder { "" } else { folder(node) };
        folders.entry(frame).or_default().push((place, node));
    }
    folders
}

/// The label of a node: the file name (its folder is drawn as a frame), or a symbol with its file.
fn label(node: &GraphNode) -> String {
    match (node.kind, &node.path, node.files) {
        (NodeKind::File, ..) => file_name(&node.name).to_owned(),
        (NodeKind::Symbol, Some(path), _) => format!("{}\n{}", node.name, file_name(path)),
        (NodeKind::Folder, _, Some(files)) => format!("{}/\n{files} files", node.name),
        _ => node.name.clone(),
    }
}

fn edge_label(edge: &GraphEdge) -> Option<String> {
    match (edge.count, edge.confidence) {
        (count, _) if count > 1 => Some(count.to_string()),
        (_, confidence @ (Confidence::Possible | Confidence::Guess)) => Some(confidence.as_str().to_owned()),
        _ => None,
    }
}

/// Background colours for languages, most frequent language first. They are light, so that black text is readable on any page.
const COLOURS: [&str; 8] =
    ["#cfe2ff", "#ffe5b4", "#d1f2d9", "#f8d0e0", "#e2d9f3", "#d3f0f0", "#f5f0c4", "#e6e0d8"];

/// The languages of the nodes with their background colours. If there are more languages than colours, the rarest have none.
fn colours(response: &GraphResponse) -> Vec<(&str, &'static str)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for language in response.nodes.iter().filter_map(|node| node.language.as_deref()) {
        *counts.entry(language).or_default() += 1;
    }
    let mut languages: Vec<(&str, usize)> = counts.into_iter().collect();
    languages.sort_by_key(|(_, count)| Reverse(*count));
    languages.into_iter().map(|(language, _)| language).zip(COLOURS).collect()
}

fn is_dashed(edge: &GraphEdge) -> bool {
    edge.confidence >= Confidence::Possible
}

#[cfg(test)]
mod tests {
    use vectorcode_core::api::EdgeKind;

    use super::*;
    use crate::response_builder::bare_node;

    #[test]
    fn each_language_has_a_colour() {
        let file = |name: &str, language: &str| GraphNode {
            language: Some(language.into()),
            ..bare_node(name, NodeKind::File, 0)
        };
        let mut response = GraphResponse {
            nodes: vec![file("a.vue", "vue"), file("b.ts", "typescript"), file("c.ts", "typescript")],
            ..GraphResponse::default()
        };
        let drawn = (mermaid(&response), dot(&response));
        assert!(
            drawn.0.contains(
                "  %% typescript\n  classDef language0 fill:#cfe2ff,color:#000\n  class n1,n2 language0"
            ),
            "{}",
            drawn.0
        );
        assert!(
            drawn.1.contains("n0 [label=\"a.vue\", style=\"rounded,filled\", fillcolor=\"#ffe5b4\"]"),
            "{}",
            drawn.1
        );
        response.nodes.remove(0);
        assert!(mermaid(&response).contains("class n0,n1 language0"), "{}", mermaid(&response));
    }

    /// Names with every character that could break out of a label.
    pub(super) fn hostile() -> GraphResponse {
        let symbol = GraphNode {
            path: Some("src/we\"ird/[x].ts".into()),
            ..bare_node("operator<\"&`#>;--", NodeKind::Symbol, 0)
        };
        let nodes = vec![
            symbol,
            bare_node("src/end.ts", NodeKind::File, 1),
            bare_node("@scope/pkg", NodeKind::External, 1),
            GraphNode { files: Some(3), ..bare_node("src/käse", NodeKind::Folder, 1) },
        ];
        let edge = |to, confidence, count| GraphEdge {
            from: 0,
            to,
            kind: EdgeKind::Calls,
            confidence,
            line: Some(1),
            uses: Vec::new(),
            count,
        };
        let edges = vec![
            edge(1, Confidence::Guess, 1),
            edge(2, Confidence::Certain, 1),
            edge(3, Confidence::Likely, 7),
        ];
        GraphResponse { nodes, edges, total: 4, ..GraphResponse::default() }
    }
}
