//! Builds a [`GraphResponse`]: collects nodes and edges, then sorts them and applies the limit.

use rustc_hash::{FxHashMap, FxHashSet};
use vectorcode_core::api::{Confidence, EdgeKind, GraphEdge, GraphNode, GraphResponse, NodeKind};

use crate::facts::SymbolDefinition;
use crate::files::FileEdge;
use crate::symbols::Node;
use crate::tree::{FileId, Tree, TreeFile};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Node(Node),
    External(String),
}

impl From<FileId> for Key {
    fn from(file: FileId) -> Self {
        Self::Node(Node::File(file))
    }
}

impl From<Node> for Key {
    fn from(place: Node) -> Self {
        Self::Node(place)
    }
}

#[derive(Debug, Default)]
pub(crate) struct ResponseBuilder {
    nodes: Vec<Entry>,
    places: FxHashMap<Key, usize>,
    edges: Vec<GraphEdge>,
    linked: FxHashSet<(usize, usize)>,
}

#[derive(Debug)]
struct Entry {
    node: GraphNode,
    /// The confidence of the most certain edge to or from it.
    confidence: Confidence,
}

impl ResponseBuilder {
    pub fn add(&mut self, key: impl Into<Key>, node: GraphNode) -> usize {
        let next = self.nodes.len();
        let place = *self.places.entry(key.into()).or_insert(next);
        if place == next {
            let confidence = if node.distance == 0 { Confidence::Certain } else { Confidence::Guess };
            self.nodes.push(Entry { node, confidence });
        }
        place
    }

    /// Adds an edge between two nodes, if both were added before.
    pub fn link(&mut self, from: &Key, to: &Key, kind: EdgeKind, confidence: Confidence, line: u32) {
        let (Some(from), Some(to)) = (self.places.get(from).copied(), self.places.get(to).copied()) else {
            return;
        };
        for end in [from, to] {
            self.nodes[end].confidence = self.nodes[end].confidence.min(confidence);
        }
        if self.linked.insert((from, to)) {
            self.edges.push(GraphEdge {
                from,
                to,
                kind,
                confidence,
                line: Some(line),
                uses: Vec::new(),
                count: 1,
            });
        }
    }

    /// Adds the edge of an import from one file to another. `edge` is that import as seen from either end.
    pub fn link_import(&mut self, from: FileId, to: FileId, edge: FileEdge) {
        self.link(&from.into(), &to.into(), edge.kind, Confidence::Certain, edge.line);
    }

    pub fn nodes(&self) -> impl Iterator<Item = &GraphNode> {
        self.nodes.iter().map(|entry| &entry.node)
    }

    /// Sorts and applies the limit: start nodes come first, then by distance, confidence, tests last, and name. A queried folder
    /// has many start nodes, which must not displace the results: together they count as one.
    pub fn finish(self, limit: usize) -> GraphResponse {
        let Self { nodes, edges, .. } = self;
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by(|left, right| rank(&nodes[*left]).cmp(&rank(&nodes[*right])));
        let total = order.len();
        let asked = nodes.iter().filter(|entry| entry.node.distance == 0).count();
        let own = if asked < total { asked.saturating_sub(1) } else { 0 };
        order.truncate(limit.max(1).saturating_add(own));
        let mut places = vec![None; nodes.len()];
        for (place, node) in order.iter().enumerate() {
            places[*node] = Some(place);
        }
        let moved =
            |edge: GraphEdge| Some(GraphEdge { from: places[edge.from]?, to: places[edge.to]?, ..edge });
        let mut edges: Vec<GraphEdge> = edges.into_iter().filter_map(moved).collect();
        edges.sort_by_key(|edge| (edge.from, edge.to));
        let mut nodes: Vec<Option<GraphNode>> = nodes.into_iter().map(|entry| Some(entry.node)).collect();
        let nodes = order.iter().filter_map(|node| nodes[*node].take()).collect();
        GraphResponse { nodes, edges, total, truncated: order.len() < total, ..GraphResponse::default() }
    }
}

fn rank(entry: &Entry) -> impl Ord + '_ {
    let GraphNode { name, kind, path, line, distance, is_test, .. } = &entry.node;
    let kind = match kind {
        NodeKind::File | NodeKind::Folder => 0,
        NodeKind::Symbol => 1,
        NodeKind::External => 2,
    };
    let doubt = (entry.confidence, *is_test);
    (*distance, kind == 2, doubt, kind, name, path.as_deref(), *line)
}

pub(crate) fn file_node(tree: &Tree, file: FileId, distance: u32) -> GraphNode {
    let TreeFile { is_test, language, .. } = tree.file(file);
    let language = Some(language.clone());
    GraphNode { is_test: *is_test, language, ..bare_node(tree.path(file), NodeKind::File, distance) }
}

pub(crate) fn symbol_node(tree: &Tree, defined: &SymbolDefinition, distance: u32) -> GraphNode {
    let definition = &defined.definition;
    GraphNode {
        path: Some(tree.path(defined.id.file).to_owned()),
        line: Some(definition.name_line),
        definition: Some(definition.kind),
        language: Some(tree.file(defined.id.file).language.clone()),
        is_test: defined.is_test || tree.file(defined.id.file).is_test,
        ..bare_node(&definition.qualified, NodeKind::Symbol, distance)
    }
}

pub(crate) fn external_node(name: &str, distance: u32) -> GraphNode {
    bare_node(name, NodeKind::External, distance)
}

pub(crate) fn bare_node(name: &str, kind: NodeKind, distance: u32) -> GraphNode {
    GraphNode {
        name: name.to_owned(),
        kind,
        path: None,
        line: None,
        definition: None,
        language: None,
        files: None,
        is_test: false,
        distance,
    }
}
