//! Queries on the whole project.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use vectorcode_core::api::{FileDegree, GraphResponse, GraphStats};

use super::files::dependencies;
use crate::cycles;
use crate::files::FileGraph;
use crate::response_builder::{ResponseBuilder, file_node};
use crate::tree::{FileId, TreeFile};

const LISTED: usize = 10;

/// Every file that has an edge, and all edges. This is as large as the project, and has to be collapsed before it is shown.
pub fn overview(graph: &FileGraph) -> GraphResponse {
    let mut builder = ResponseBuilder::default();
    for (file, _) in graph.tree().iter().filter(|(file, _)| graph.is_linked(*file)) {
        builder.add(file, file_node(graph.tree(), file, 0));
    }
    for (file, _) in graph.tree().iter() {
        for edge in graph.imports(file) {
            builder.link_import(file, edge.file, *edge);
        }
    }
    builder.finish(usize::MAX)
}

/// Statistics of the whole graph. `is_code` distinguishes files that could have edges from documents and settings.
pub fn stats(graph: &FileGraph, is_code: impl Fn(FileId) -> bool, limit: usize) -> GraphResponse {
    let mut degrees: Vec<FileDegree> = graph.tree().iter().map(|(file, _)| degree(graph, file)).collect();
    degrees.retain(|degree| degree.imports + degree.importers > 0);
    degrees.sort_by_key(|degree| Reverse(degree.imports + degree.importers));
    degrees.truncate(LISTED);
    let mut orphans = orphans(graph, &is_code);
    let (total, truncated) = (orphans.len(), orphans.len() > limit);
    orphans.truncate(limit);
    let externals = externals(graph);
    let files = graph.tree().iter().filter(|(file, _)| is_code(*file)).count() as u64;
    let edges = graph.tree().iter().map(|(file, _)| graph.imports(file).len() as u64).sum();
    let stats = GraphStats {
        files,
        edges,
        average_imports: (edges as f64 / files.max(1) as f64 * 100.0).round() / 100.0,
        externals: externals.len() as u64,
        cycles: cycles::groups(&dependencies(graph)).len() as u64,
        most_imported: externals.into_iter().take(LISTED).collect(),
        most_connected: degrees,
        edges_by_language: edges_by_language(graph),
        orphans,
    };
    let notes = if truncated { vec![format!("{limit} of {total} orphans are listed.")] } else { Vec::new() };
    GraphResponse { stats: Some(stats), notes, truncated, ..GraphResponse::default() }
}

fn degree(graph: &FileGraph, file: FileId) -> FileDegree {
    FileDegree {
        path: graph.tree().path(file).to_owned(),
        imports: graph.imports(file).len() as u64,
        importers: graph.importers(file).len() as u64,
    }
}

/// Files without edges, in languages that have edges at all.
fn orphans(graph: &FileGraph, is_code: &impl Fn(FileId) -> bool) -> Vec<String> {
    let is_alone = |file: FileId| graph.imports(file).is_empty() && graph.importers(file).is_empty();
    let linked = graph.tree().iter().filter(|(file, _)| !is_alone(*file));
    let languages: FxHashSet<&str> = linked.map(|(_, file)| file.language.as_str()).collect();
    let is_orphan = |(id, file): &(FileId, &TreeFile)| {
        is_alone(*id) && is_code(*id) && !file.is_test && languages.contains(file.language.as_str())
    };
    graph.tree().iter().filter(is_orphan).map(|(_, file)| file.path.clone()).collect()
}

/// External modules with the number of files that import them, most imported first.
fn externals(graph: &FileGraph) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (file, _) in graph.tree().iter() {
        for (name, _) in graph.externals(file) {
            *counts.entry(name).or_default() += 1;
        }
    }
    by_count(counts)
}

fn edges_by_language(graph: &FileGraph) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (id, file) in graph.tree().iter().filter(|(id, _)| !graph.imports(*id).is_empty()) {
        *counts.entry(&file.language).or_default() += graph.imports(id).len() as u64;
    }
    by_count(counts)
}

fn by_count(counts: BTreeMap<&str, u64>) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> =
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    counts
}
