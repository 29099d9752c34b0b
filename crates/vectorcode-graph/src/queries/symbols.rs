//! Queries on symbols: callers, callees, and paths between two symbols.

use rustc_hash::FxHashSet;
use vectorcode_core::api::{Confidence, GraphResponse};

use super::{Direction, Extent};
use crate::facts::{Facts, SymbolId};
use crate::files::FileGraph;
use crate::response_builder::{ResponseBuilder, file_node, symbol_node};
use crate::symbols::{Node, SymbolEdge, Symbols};
use crate::walk;

/// A walk stops after this many symbols: the result would be most of the project, which nobody reads.
pub(super) const MAX_SYMBOLS: usize = 3000;

/// The edges found by a walk, and the nodes from which it may continue.
#[derive(Debug)]
struct SymbolWalk {
    edges: Vec<SymbolEdge>,
    /// Nodes reached by an edge that is more than a guess. Guesses are shown but not followed: errors would multiply.
    confirmed: FxHashSet<Node>,
    visited: FxHashSet<Node>,
    stopped: bool,
}

impl SymbolWalk {
    fn new(starts: &[SymbolId]) -> Self {
        let confirmed = starts.iter().map(|start| Node::Symbol(*start)).collect();
        Self { edges: Vec::new(), confirmed, visited: FxHashSet::default(), stopped: false }
    }

    /// The next nodes of the walk.
    fn next<F: Facts>(
        &mut self,
        symbols: &Symbols<'_, F>,
        node: Node,
        direction: Direction,
    ) -> Result<Vec<Node>, F::Error> {
        let Node::Symbol(symbol) = node else { return Ok(Vec::new()) };
        if !self.confirmed.contains(&node) {
            return Ok(Vec::new());
        }
        if self.visited.len() > MAX_SYMBOLS {
            self.stopped = true;
            return Ok(Vec::new());
        }
        let mut next = Vec::new();
        let backward = if direction.is_backward() { symbols.callers(symbol)? } else { Vec::new() };
        let forward = if direction.is_forward() { symbols.callees(symbol)? } else { Vec::new() };
        let others = backward.iter().map(|edge| (edge.from, edge)).collect::<Vec<_>>();
        let others = others.into_iter().chain(forward.iter().map(|edge| (Node::Symbol(edge.to), edge)));
        for (other, edge) in others {
            if edge.confidence < Confidence::Guess {
                self.confirmed.insert(other);
            }
            self.visited.insert(other);
            self.edges.push(*edge);
            next.push(other);
        }
        Ok(next)
    }
}

/// The surroundings of some symbols: their callers, their callees, or both.
pub fn symbol_surroundings<F: Facts>(
    graph: &FileGraph,
    symbols: &Symbols<'_, F>,
    starts: &[SymbolId],
    extent: &Extent,
) -> Result<GraphResponse, F::Error> {
    let (builder, stopped) = walk_from(graph, symbols, starts, extent)?;
    let mut response = builder.finish(extent.limit);
    if stopped {
        response
            .notes
            .push(format!("Stopped after {MAX_SYMBOLS} symbols; use a smaller depth for a complete answer."));
    }
    Ok(response)
}

/// All nodes within the extent and the edges between them, and whether the walk was stopped early.
pub(super) fn walk_from<F: Facts>(
    graph: &FileGraph,
    symbols: &Symbols<'_, F>,
    starts: &[SymbolId],
    extent: &Extent,
) -> Result<(ResponseBuilder, bool), F::Error> {
    let mut walked = SymbolWalk::new(starts);
    let nodes: Vec<Node> = starts.iter().map(|start| Node::Symbol(*start)).collect();
    let found = walk::within(&nodes, extent.depth, |node| walked.next(symbols, node, extent.direction))?;
    let mut builder = ResponseBuilder::default();
    add_nodes(&mut builder, graph, symbols, &found)?;
    add_edges(&mut builder, &walked.edges);
    Ok((builder, walked.stopped))
}

pub(super) fn add_nodes<F: Facts>(
    builder: &mut ResponseBuilder,
    graph: &FileGraph,
    symbols: &Symbols<'_, F>,
    nodes: &[(Node, u32)],
) -> Result<(), F::Error> {
    for (node, distance) in nodes {
        match node {
            Node::File(file) => {
                builder.add(*node, file_node(graph.tree(), *file, *distance));
            }
            Node::Symbol(symbol) => {
                if let Some(defined) = symbols.defined(*symbol)? {
                    builder.add(*node, symbol_node(graph.tree(), &defined, *distance));
                }
            }
        }
    }
    Ok(())
}

fn add_edges(builder: &mut ResponseBuilder, edges: &[SymbolEdge]) {
    for edge in edges {
        let to = Node::Symbol(edge.to);
        builder.link(&edge.from.into(), &to.into(), edge.kind, edge.confidence, edge.line);
    }
}

/// The shortest chain of calls from one of `from` to one of `to`; empty if there is none. Guesses are not followed.
pub fn symbol_path<F: Facts>(
    graph: &FileGraph,
    symbols: &Symbols<'_, F>,
    from: &[SymbolId],
    to: &[SymbolId],
) -> Result<GraphResponse, F::Error> {
    let mut walked = SymbolWalk::new(from);
    let is_end = |symbol: SymbolId| to.contains(&symbol);
    let way = walk::shortest(from, is_end, |symbol| {
        let nodes = walked.next(symbols, Node::Symbol(symbol), Direction::Forward)?;
        let confirmed = nodes.into_iter().filter(|node| walked.confirmed.contains(node));
        Ok(confirmed
            .filter_map(|node| match node {
                Node::Symbol(symbol) => Some(symbol),
                Node::File(_) => None,
            })
            .collect())
    })?;
    let nodes: Vec<(Node, u32)> = way.unwrap_or_default().into_iter().map(Node::Symbol).zip(0..).collect();
    let mut builder = ResponseBuilder::default();
    add_nodes(&mut builder, graph, symbols, &nodes)?;
    let is_step = |edge: &&SymbolEdge| {
        nodes.windows(2).any(|pair| pair[0].0 == edge.from && pair[1].0 == Node::Symbol(edge.to))
    };
    add_edges(&mut builder, &walked.edges.iter().filter(is_step).copied().collect::<Vec<_>>());
    let mut response = builder.finish(usize::MAX);
    if walked.stopped && response.nodes.is_empty() {
        response.notes.push(format!("Gave up after {MAX_SYMBOLS} symbols."));
    }
    Ok(response)
}
