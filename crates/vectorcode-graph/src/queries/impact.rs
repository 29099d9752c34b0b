//! Queries for the impact of a change.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use vectorcode_core::DefinitionKind;
use vectorcode_core::api::{Confidence, EdgeKind, GraphNode, GraphResponse, Impact, NodeKind};

use super::symbols::{MAX_SYMBOLS, add_nodes, walk_from};
use super::{Direction, Extent};
use crate::facts::{Facts, SymbolId};
use crate::files::FileGraph;
use crate::response_builder::{ResponseBuilder, file_node};
use crate::symbols::{Node, SymbolEdge, Symbols};
use crate::tree::FileId;
use crate::walk;

/// Everything that uses these symbols, directly or indirectly.
pub fn symbol_impact<F: Facts>(
    graph: &FileGraph,
    symbols: &Symbols<'_, F>,
    starts: &[SymbolId],
    extent: &Extent,
) -> Result<GraphResponse, F::Error> {
    let (builder, stopped) =
        walk_from(graph, symbols, starts, &Extent { direction: Direction::Backward, ..*extent })?;
    let mut response = finish(builder, extent);
    if stopped {
        response
            .notes
            .push(format!("Stopped after {MAX_SYMBOLS} symbols: much of the project depends on this."));
    }
    Ok(response)
}

/// Every file that imports this one, directly or indirectly, and the code in other files that uses its definitions.
pub fn file_impact<F: Facts>(
    graph: &FileGraph,
    symbols: &Symbols<'_, F>,
    file: FileId,
    extent: &Extent,
) -> Result<GraphResponse, F::Error> {
    let users = users_of(symbols, file)?;
    // Files of one package use each other without imports.
    let mut using: FxHashMap<FileId, u32> = FxHashMap::default();
    for edge in users.iter().filter(|edge| edge.confidence < Confidence::Guess) {
        using.entry(edge.from.file()).or_insert(edge.line);
    }
    let found = walk::within(&[file], extent.depth, |at| {
        let importers = graph.importers(at).iter().map(|edge| edge.file);
        let users = using.keys().copied().filter(|_| at == file);
        Ok::<_, F::Error>(importers.chain(users).collect())
    })?;
    let mut builder = ResponseBuilder::default();
    for (reached, distance) in &found {
        builder.add(*reached, file_node(graph.tree(), *reached, *distance));
    }
    for (reached, _) in &found {
        for edge in graph.importers(*reached) {
            builder.link_import(edge.file, *reached, *edge);
        }
    }
    if extent.depth > 0 {
        let nodes: BTreeSet<Node> = users.iter().map(|edge| edge.from).collect();
        let nodes: Vec<(Node, u32)> = nodes.into_iter().map(|node| (node, 1)).collect();
        add_nodes(&mut builder, graph, symbols, &nodes)?;
        for edge in &users {
            builder.link(&edge.from.into(), &file.into(), edge.kind, edge.confidence, edge.line);
        }
        for (user, line) in using {
            builder.link(&user.into(), &file.into(), EdgeKind::Uses, Confidence::Likely, line);
        }
    }
    Ok(finish(builder, extent))
}

/// Uses of a file's definitions in other files.
fn users_of<F: Facts>(symbols: &Symbols<'_, F>, file: FileId) -> Result<Vec<SymbolEdge>, F::Error> {
    let mut seen = FxHashSet::default();
    let mut users = Vec::new();
    for ordinal in 0.. {
        let id = SymbolId { file, ordinal };
        let Some(defined) = symbols.defined(id)? else { break };
        let is_usable = !matches!(
            defined.definition.kind,
            DefinitionKind::Field | DefinitionKind::Section | DefinitionKind::Module
        );
        if is_usable && seen.insert(defined.definition.qualified) {
            users.extend(symbols.callers(id)?.into_iter().filter(|edge| edge.from.file() != file));
        }
    }
    Ok(users)
}

fn finish(builder: ResponseBuilder, extent: &Extent) -> GraphResponse {
    let impact = count(builder.nodes().filter(|node| node.distance > 0));
    GraphResponse { impact: Some(impact), ..builder.finish(extent.limit) }
}

fn count<'n>(nodes: impl Iterator<Item = &'n GraphNode>) -> Impact {
    let (mut files, mut tests, mut symbols) = (BTreeSet::new(), BTreeSet::new(), 0);
    for node in nodes {
        let file = node.path.as_deref().unwrap_or(&node.name);
        files.insert(file);
        symbols += u64::from(node.kind == NodeKind::Symbol);
        if node.is_test {
            tests.insert(file);
        }
    }
    Impact { files: files.len() as u64, symbols, tests: tests.len() as u64 }
}
