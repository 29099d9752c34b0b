//! A few callers and callees for each search hit.

use vectorcode_core::DefinitionKind;
use vectorcode_core::api::{Confidence, Hit, Neighbour, Neighbours};
use vectorcode_graph::{Facts, Node, SymbolDefinition, SymbolEdge, SymbolId, Symbols};

use super::GraphContext;
use super::facts::IndexFacts;
use crate::error::EngineError;

/// How many callers and callees are shown per hit: enough to see what the code is for.
const MAX_SHOWN: usize = 5;

/// Adds callers and callees to each hit that is a single symbol.
pub(crate) fn add_neighbours<'h>(
    context: &GraphContext<'_>,
    hits: impl IntoIterator<Item = &'h mut Hit>,
) -> Result<(), EngineError> {
    let files = &context.snapshot.files;
    let facts = IndexFacts::new(context.reader, files.tree(), context.cancel);
    let symbols = Symbols::new(files, &facts);
    for hit in hits {
        let Some(file) = files.tree().get(&hit.path) else { continue };
        let definitions = facts.definitions_of(file)?;
        let is_hit = |defined: &&SymbolDefinition| hit.symbol.as_ref() == Some(&defined.definition.qualified);
        let is_field = |defined: &&SymbolDefinition| defined.definition.kind == DefinitionKind::Field;
        if let Some(defined) = definitions.iter().filter(is_hit).min_by_key(is_field) {
            hit.neighbours = Some(neighbours_of(context, &symbols, defined.id)?);
        }
    }
    Ok(())
}

fn neighbours_of(
    context: &GraphContext<'_>,
    symbols: &Symbols<'_, IndexFacts<'_>>,
    id: SymbolId,
) -> Result<Neighbours, EngineError> {
    let [used_by, uses] = [symbols.callers(id)?, symbols.callees(id)?].map(most_certain);
    let at_use = |edge: &SymbolEdge| neighbour(context, symbols, edge.from, Some(edge.line));
    let at_definition = |edge: &SymbolEdge| neighbour(context, symbols, Node::Symbol(edge.to), None);
    Ok(Neighbours {
        callers: used_by.iter().take(MAX_SHOWN).map(at_use).collect::<Result<_, _>>()?,
        callees: uses.iter().take(MAX_SHOWN).map(at_definition).collect::<Result<_, _>>()?,
    })
}

/// A caller or callee, at `line` or at its definition.
pub(super) fn neighbour(
    context: &GraphContext<'_>,
    symbols: &Symbols<'_, IndexFacts<'_>>,
    place: Node,
    line: Option<u32>,
) -> Result<Neighbour, EngineError> {
    let path = context.snapshot.files.tree().path(place.file()).to_owned();
    let defined = match place {
        Node::Symbol(symbol) => symbols.defined(symbol)?,
        Node::File(_) => None,
    };
    let defined_at = defined.as_ref().map_or(1, |defined| defined.definition.name_line);
    let name = defined.map_or_else(|| path.clone(), |defined| defined.definition.qualified);
    Ok(Neighbour { name, path, line: line.unwrap_or(defined_at) })
}

/// The uses without guesses, most certain first.
pub(super) fn most_certain(mut edges: Vec<SymbolEdge>) -> Vec<SymbolEdge> {
    edges.retain(|edge| edge.confidence < Confidence::Guess);
    edges.sort_by_key(|edge| edge.confidence);
    edges
}
