//! Finds the types that implement an interface or trait or extend a class, directly or indirectly, and the methods
//! that implement a method.
//!
//! Deriving the hierarchy is left to `vectorcode-graph`; this file turns it into a response.

use vectorcode_core::DefinitionKind;
use vectorcode_core::api::{Confidence, EdgeKind, GraphEdge, GraphNode, GraphResponse, NodeKind};
use vectorcode_graph::{SymbolDefinition, SymbolId, Symbols};
use vectorcode_store::{ChunkFilter, NameMatch};

use super::GraphContext;
use super::facts::IndexFacts;
use super::target::Targets;
use crate::error::EngineError;

/// How many definitions of the same name are considered.
const MAX_SAME_NAME: usize = 20;

pub(super) fn implementations(
    context: &GraphContext<'_>,
    targets: &Targets<'_>,
    symbols: &Symbols<'_, IndexFacts<'_>>,
    written: &str,
) -> Result<GraphResponse, EngineError> {
    let found = targets.symbols(written)?;
    let search = ImplementationSearch { context, symbols };
    let mut all_asked = Vec::new();
    for id in &found.ids {
        all_asked.extend(symbols.defined(*id)?);
    }
    // If both types and methods have the name, the types are meant: `Render` is the interface, not each type's
    // `Render` method, and `Shape` is the class, not its constructor.
    if all_asked.iter().any(|asked| is_type(asked.definition.kind)) {
        all_asked.retain(|asked| is_type(asked.definition.kind));
    }
    let note = found.note().filter(|_| all_asked.len() > 1);
    let mut answer = ImplementationGraph::default();
    let places: Vec<usize> = all_asked.iter().map(|asked| answer.add(search.node(asked, 0))).collect();
    for (at, asked) in places.into_iter().zip(&all_asked) {
        search.add_below(at, asked, &mut answer)?;
    }
    let mut response = answer.finish();
    response.notes.extend(note);
    Ok(response)
}

struct ImplementationSearch<'a> {
    context: &'a GraphContext<'a>,
    symbols: &'a Symbols<'a, IndexFacts<'a>>,
}

impl ImplementationSearch<'_> {
    /// Adds the subtypes of a type, or for a method their methods of the same name. Each is linked to what it
    /// implements; for a method that may be several types up.
    fn add_below(
        &self,
        at: usize,
        asked: &SymbolDefinition,
        answer: &mut ImplementationGraph,
    ) -> Result<(), EngineError> {
        let (owner, method) = match asked.definition.qualified.rsplit_once('.') {
            _ if is_type(asked.definition.kind) => (Some(asked.clone()), None),
            Some((_, method)) => (self.symbols.owner(asked)?, Some(method)),
            None => (None, None),
        };
        let subtypes = owner.map_or_else(|| Ok(Vec::new()), |owner| self.symbols.subtypes(&owner))?;
        let mut places: Vec<usize> = Vec::new();
        for subtype in &subtypes {
            let above = subtype.base.map_or(at, |base| places[base]);
            let own = match method {
                None => vec![subtype.defined.clone()],
                Some(method) => self.named(&format!("{}.{method}", subtype.defined.definition.qualified))?,
            };
            let mut first = None;
            for own in own {
                let place = answer.add(self.node(&own, subtype.distance));
                answer.link(place, above, own.definition.name_line, subtype.confidence);
                first = first.or(Some(place));
            }
            places.push(first.unwrap_or(above));
        }
        Ok(())
    }

    fn named(&self, qualified: &str) -> Result<Vec<SymbolDefinition>, EngineError> {
        let exact = NameMatch::Exact(qualified.to_owned());
        let found = self.context.reader.definitions(&exact, &ChunkFilter::default(), MAX_SAME_NAME)?;
        let tree = self.context.snapshot.files.tree();
        let defined = found.into_iter().filter_map(|found| {
            let stored = found.definition;
            let id = SymbolId { file: tree.get(&stored.path)?, ordinal: stored.ordinal };
            Some(SymbolDefinition { id, definition: stored.definition, is_test: stored.is_test })
        });
        Ok(defined.collect())
    }

    fn node(&self, defined: &SymbolDefinition, distance: u32) -> GraphNode {
        let tree = self.context.snapshot.files.tree();
        GraphNode {
            name: defined.definition.qualified.clone(),
            kind: NodeKind::Symbol,
            path: Some(tree.path(defined.id.file).to_owned()),
            line: Some(defined.definition.name_line),
            definition: Some(defined.definition.kind),
            language: Some(tree.file(defined.id.file).language.clone()),
            files: None,
            is_test: defined.is_test,
            distance,
        }
    }
}

fn is_type(kind: DefinitionKind) -> bool {
    matches!(
        kind,
        DefinitionKind::Class
            | DefinitionKind::Struct
            | DefinitionKind::Enum
            | DefinitionKind::Interface
            // In Ruby, modules are included by classes.
            | DefinitionKind::Module
            | DefinitionKind::Trait
            | DefinitionKind::Type
    )
}

/// Nodes and edges, without duplicate nodes.
#[derive(Default)]
struct ImplementationGraph {
    nodes: Vec<GraphNode>,
    edges: Vec<GraphEdge>,
}

impl ImplementationGraph {
    fn add(&mut self, node: GraphNode) -> usize {
        let same =
            |other: &GraphNode| (&other.name, &other.path, other.line) == (&node.name, &node.path, node.line);
        self.nodes.iter().position(same).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn link(&mut self, from: usize, to: usize, line: u32, confidence: Confidence) {
        let edge = GraphEdge {
            from,
            to,
            kind: EdgeKind::Implements,
            confidence,
            line: Some(line),
            uses: Vec::new(),
            count: 1,
        };
        self.edges.push(edge);
    }

    /// Sorts nodes by distance, even if several types were requested. Test code comes last, because some classes have
    /// more subtypes in tests than in all other code.
    fn finish(self) -> GraphResponse {
        let Self { nodes, mut edges } = self;
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_key(|place| {
            (nodes[*place].is_test && nodes[*place].distance > 0, nodes[*place].distance)
        });
        let mut places = vec![0; nodes.len()];
        for (new, old) in order.iter().enumerate() {
            places[*old] = new;
        }
        for edge in &mut edges {
            (edge.from, edge.to) = (places[edge.from], places[edge.to]);
        }
        let nodes: Vec<GraphNode> = order.into_iter().map(|place| nodes[place].clone()).collect();
        GraphResponse { total: nodes.len(), nodes, edges, ..GraphResponse::default() }
    }
}
