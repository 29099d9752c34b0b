//! Queries on files.

use std::convert::Infallible;

use vectorcode_core::api::{Confidence, EdgeKind, GraphResponse};

use super::{Direction, Extent};
use crate::cycles;
use crate::files::{FileEdge, FileGraph};
use crate::response_builder::{Key, ResponseBuilder, external_node, file_node};
use crate::tree::FileId;
use crate::walk;

/// The surroundings of some files: their imports, their importers, or both. External imports are only listed for the start files.
pub fn file_surroundings(graph: &FileGraph, starts: &[FileId], extent: &Extent) -> GraphResponse {
    let mut builder = ResponseBuilder::default();
    let directions = [
        (extent.direction.is_forward(), Direction::Forward),
        (extent.direction.is_backward(), Direction::Backward),
    ];
    for (_, direction) in directions.into_iter().filter(|(wanted, _)| *wanted) {
        let next = |file: FileId| Ok(edges(graph, file, direction).iter().map(|edge| edge.file).collect());
        let Ok(found) = walk::within::<_, Infallible>(starts, extent.depth, next);
        for (file, distance) in &found {
            builder.add(*file, file_node(graph.tree(), *file, *distance));
        }
        for (file, _) in found {
            for edge in edges(graph, file, direction) {
                let (from, to) = ends(file, edge.file, direction);
                builder.link_import(from, to, *edge);
            }
        }
    }
    if extent.direction.is_forward() && extent.depth > 0 {
        for start in starts {
            add_externals(&mut builder, graph, *start);
        }
    }
    builder.finish(extent.limit)
}

fn edges(graph: &FileGraph, file: FileId, direction: Direction) -> &[FileEdge] {
    if direction == Direction::Backward { graph.importers(file) } else { graph.imports(file) }
}

fn ends(file: FileId, other: FileId, direction: Direction) -> (FileId, FileId) {
    if direction == Direction::Backward { (other, file) } else { (file, other) }
}

fn add_externals(builder: &mut ResponseBuilder, graph: &FileGraph, file: FileId) {
    for (name, line) in graph.externals(file) {
        let key = Key::External(name.to_owned());
        builder.add(key.clone(), external_node(name, 1));
        builder.link(&file.into(), &key, EdgeKind::Imports, Confidence::Certain, line);
    }
}

/// The shortest chain of imports from one file to another; empty if there is none.
pub fn file_path(graph: &FileGraph, from: FileId, to: FileId) -> GraphResponse {
    let next = |file: FileId| Ok(graph.imports(file).iter().map(|edge| edge.file).collect());
    let Ok(way) = walk::shortest::<_, Infallible>(&[from], |file| file == to, next);
    let mut builder = ResponseBuilder::default();
    let way = way.unwrap_or_default();
    for (distance, file) in way.iter().enumerate() {
        builder.add(*file, file_node(graph.tree(), *file, distance as u32));
    }
    for pair in way.windows(2) {
        if let Some(edge) = graph.imports(pair[0]).iter().find(|edge| edge.file == pair[1]) {
            builder.link_import(pair[0], pair[1], *edge);
        }
    }
    builder.finish(usize::MAX)
}

/// Import cycles: all members of each group, its edges, and a shortest cycle. The mere declaration of a module (`mod x;`) does
/// not count as an import.
pub fn cycles(graph: &FileGraph, limit: usize) -> GraphResponse {
    let edges = dependencies(graph);
    let mut groups: Vec<(Vec<usize>, Vec<usize>)> = cycles::groups(&edges)
        .into_iter()
        .map(|group| (cycles::shortest_circle(&edges, &group), group))
        .collect();
    groups.sort_by_key(|(circle, group)| (group.len(), circle.len(), group.first().copied()));
    let total = groups.iter().map(|(_, group)| group.len()).sum();
    let mut response = GraphResponse { total, ..GraphResponse::default() };
    for (circle, group) in groups {
        if response.nodes.len() + circle.len() > limit {
            response.truncated = true;
            continue;
        }
        add_group(&mut response, graph, &circle, &group, limit);
    }
    response
}

/// Adds the whole cycle, and the other members of its group as far as the limit permits.
fn add_group(
    response: &mut GraphResponse,
    graph: &FileGraph,
    circle: &[usize],
    group: &[usize],
    limit: usize,
) {
    let first = response.nodes.len();
    let others = group.iter().filter(|member| !circle.contains(member));
    let members: Vec<usize> = circle.iter().chain(others).copied().take(limit - first).collect();
    response.truncated |= members.len() < group.len();
    let mut builder = ResponseBuilder::default();
    let file = |member: usize| FileId(member as u32);
    for (place, member) in members.iter().enumerate() {
        builder.add(file(*member), file_node(graph.tree(), file(*member), place as u32));
    }
    for member in &members {
        for edge in graph.imports(file(*member)).iter().filter(|edge| !edge.declares) {
            builder.link_import(file(*member), edge.file, *edge);
        }
    }
    let part = builder.finish(usize::MAX);
    response
        .nodes
        .extend(part.nodes.into_iter().map(|node| vectorcode_core::api::GraphNode { distance: 0, ..node }));
    response.edges.extend(part.edges.into_iter().map(|mut edge| {
        edge.from += first;
        edge.to += first;
        edge
    }));
    response.cycles.push((first..first + circle.len()).collect());
}

/// For each file, the files that it depends on, by their index in the tree.
pub(super) fn dependencies(graph: &FileGraph) -> Vec<Vec<usize>> {
    let of_file = |file: FileId| {
        graph.imports(file).iter().filter(|edge| !edge.declares).map(|edge| edge.file.0 as usize).collect()
    };
    graph.tree().iter().map(|(file, _)| of_file(file)).collect()
}
