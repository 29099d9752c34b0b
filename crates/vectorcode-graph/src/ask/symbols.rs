//! Questions about symbols: who calls them, what they call, how one leads to another.

use rustc_hash::FxHashSet;
use vectorcode_core::api::{Confidence, GraphResponse};

use super::{Direction, Extent};
use crate::draft::{Draft, file_node, symbol_node};
use crate::facts::{Facts, SymbolId};
use crate::files::FileGraph;
use crate::symbols::{Place, SymbolEdge, Symbols};
use crate::walk;

/// A walk that has met this many symbols goes no further: the answer would be the whole project.
pub(super) const MAX_MET: usize = 3000;

/// Edges met on a walk, and where it may go on.
#[derive(Debug)]
struct Trail {
    edges: Vec<SymbolEdge>,
    /// Places that more than a guess led to. Guesses are shown, but not followed.
    sure: FxHashSet<Place>,
    met: FxHashSet<Place>,
    stopped: bool,
}

impl Trail {
    fn new(starts: &[SymbolId]) -> Self {
        let sure = starts.iter().map(|start| Place::Symbol(*start)).collect();
        Self { edges: Vec::new(), sure, met: FxHashSet::default(), stopped: false }
    }

    /// Where the walk goes from a place.
    fn next<F: Facts>(
        &mut self,
        symbols: &Symbols<'_, F>,
        place: Place,
        direction: Direction,
    ) -> Result<Vec<Place>, F::Error> {
        let Place::Symbol(symbol) = place else { return Ok(Vec::new()) };
        if !self.sure.contains(&place) {
            return Ok(Vec::new());
        }
        if self.met.len() > MAX_MET {
            self.stopped = true;
            return Ok(Vec::new());
        }
        let mut next = Vec::new();
        let backward = if direction.is_backward() { symbols.callers(symbol)? } else { Vec::new() };
        let forward = if direction.is_forward() { symbols.callees(symbol)? } else { Vec::new() };
        let others = backward.iter().map(|edge| (edge.from, edge)).collect::<Vec<_>>();
        let others = others.into_iter().chain(forward.iter().map(|edge| (Place::Symbol(edge.to), edge)));
        for (other, edge) in others {
            if edge.confidence < Confidence::Guess {
                self.sure.insert(other);
            }
            self.met.insert(other);
            self.edges.push(*edge);
            next.push(other);
        }
        Ok(next)
    }
}

/// What is around some symbols: who calls them, what they call, or both.
pub fn symbol_surroundings<F: Facts>(
    graph: &FileGraph,
    symbols: &Symbols<'_, F>,
    starts: &[SymbolId],
    extent: &Extent,
) -> Result<GraphResponse, F::Error> {
    let (draft, stopped) = around(graph, symbols, starts, extent)?;
    let mut response = draft.finish(extent.limit);
    if stopped {
        response.notes.push(format!("Stopped after {MAX_MET} symbols; a smaller depth answers completely."));
    }
    Ok(response)
}

/// All places within the extent with the edges between them, and whether the walk was stopped early.
pub(super) fn around<F: Facts>(
    graph: &FileGraph,
    symbols: &Symbols<'_, F>,
    starts: &[SymbolId],
    extent: &Extent,
) -> Result<(Draft, bool), F::Error> {
    let mut trail = Trail::new(starts);
    let places: Vec<Place> = starts.iter().map(|start| Place::Symbol(*start)).collect();
    let found = walk::within(&places, extent.depth, |place| trail.next(symbols, place, extent.direction))?;
    let mut draft = Draft::default();
    add_places(&mut draft, graph, symbols, &found)?;
    add_edges(&mut draft, &trail.edges);
    Ok((draft, trail.stopped))
}

pub(super) fn add_places<F: Facts>(
    draft: &mut Draft,
    graph: &FileGraph,
    symbols: &Symbols<'_, F>,
    places: &[(Place, u32)],
) -> Result<(), F::Error> {
    for (place, distance) in places {
        match place {
            Place::File(file) => {
                draft.add(*place, file_node(graph.tree(), *file, *distance));
            }
            Place::Symbol(symbol) => {
                if let Some(defined) = symbols.defined(*symbol)? {
                    draft.add(*place, symbol_node(graph.tree(), &defined, *distance));
                }
            }
        }
    }
    Ok(())
}

fn add_edges(draft: &mut Draft, edges: &[SymbolEdge]) {
    for edge in edges {
        let to = Place::Symbol(edge.to);
        draft.link(&edge.from.into(), &to.into(), edge.kind, edge.confidence, edge.line);
    }
}

/// The shortest chain of calls from one of `from` to one of `to`; empty when there is none. Guesses are no way.
pub fn symbol_path<F: Facts>(
    graph: &FileGraph,
    symbols: &Symbols<'_, F>,
    from: &[SymbolId],
    to: &[SymbolId],
) -> Result<GraphResponse, F::Error> {
    let mut trail = Trail::new(from);
    let is_end = |symbol: SymbolId| to.contains(&symbol);
    let way = walk::shortest(from, is_end, |symbol| {
        let places = trail.next(symbols, Place::Symbol(symbol), Direction::Forward)?;
        let sure = places.into_iter().filter(|place| trail.sure.contains(place));
        Ok(sure
            .filter_map(|place| match place {
                Place::Symbol(symbol) => Some(symbol),
                Place::File(_) => None,
            })
            .collect())
    })?;
    let places: Vec<(Place, u32)> = way.unwrap_or_default().into_iter().map(Place::Symbol).zip(0..).collect();
    let mut draft = Draft::default();
    add_places(&mut draft, graph, symbols, &places)?;
    let is_step = |edge: &&SymbolEdge| {
        places.windows(2).any(|pair| pair[0].0 == edge.from && pair[1].0 == Place::Symbol(edge.to))
    };
    add_edges(&mut draft, &trail.edges.iter().filter(is_step).copied().collect::<Vec<_>>());
    let mut response = draft.finish(usize::MAX);
    if trail.stopped && response.nodes.is_empty() {
        response.notes.push(format!("Gave up after {MAX_MET} symbols."));
    }
    Ok(response)
}
