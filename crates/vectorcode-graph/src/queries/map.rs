//! The map of a folder: its parts and the imports between them.
//!
//! Folding all folders at the same depth would show one large folder as a single node, or a hundred small ones. Instead, the
//! largest folder is opened repeatedly, as long as the result fits the limit.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use vectorcode_core::api::{Confidence, EdgeKind, GraphEdge, GraphNode, GraphResponse, NodeKind};
use vectorcode_core::is_within;

use crate::files::FileGraph;
use crate::response_builder::{bare_node, file_node};
use crate::tree::{FileId, Tree};

/// Files that are shown as one node.
#[derive(Debug)]
struct Group {
    /// The path of the folder, or of the only file.
    path: String,
    files: Vec<FileId>,
    /// Opening it would exceed the limit.
    is_final: bool,
    is_outside: bool,
}

/// The imports within a folder (empty for the root) and between it and the rest of the project. At most `limit` nodes are inside
/// and a third as many outside; those with the most edges are kept.
pub fn folder_map(graph: &FileGraph, folder: &str, limit: usize) -> GraphResponse {
    let tree = graph.tree();
    let linked = tree.iter().map(|(file, _)| file).filter(|file| graph.is_linked(*file));
    let (inside, outside): (Vec<FileId>, Vec<FileId>) =
        linked.partition(|file| is_within(tree.path(*file), folder));
    let mut groups = opened(tree, folder, &inside, limit);
    groups.extend(surroundings(tree, folder, &outside));
    let edges = edges(graph, &groups);
    let kept = most_connected(&groups, &edges, limit);
    response(tree, &groups, &edges, &kept)
}

/// The parts of a folder, with the largest ones opened.
fn opened(tree: &Tree, folder: &str, files: &[FileId], limit: usize) -> Vec<Group> {
    let is_test = |file: &FileId| tree.file(*file).is_test;
    let all_tests = files.iter().all(is_test);
    // Tests import much and are imported by nobody: they stay folded unless the folder only has tests.
    let size = |group: &Group| group.files.iter().filter(|file| all_tests || !is_test(file)).count();
    let mut groups = children(tree, folder, files);
    loop {
        let can_open = |group: &Group| !group.is_final && group.files.len() > 1 && size(group) > 0;
        let largest =
            (0..groups.len()).filter(|at| can_open(&groups[*at])).max_by_key(|at| size(&groups[*at]));
        let Some(at) = largest else { return groups };
        let parts = children(tree, &groups[at].path, &groups[at].files);
        if groups.len() - 1 + parts.len() <= limit {
            groups.splice(at..=at, parts);
        } else {
            groups[at].is_final = true;
        }
    }
}

/// The direct children of a folder. A child folder with a single file is replaced by that file.
fn children(tree: &Tree, folder: &str, files: &[FileId]) -> Vec<Group> {
    let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let mut parts: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in files {
        let path = tree.path(*file);
        let end = path[start..].find('/').map_or(path.len(), |at| start + at);
        parts.entry(&path[..end]).or_default().push(*file);
    }
    parts.into_iter().map(|(path, files)| group(tree, path, files)).collect()
}

fn group(tree: &Tree, path: &str, files: Vec<FileId>) -> Group {
    let path = if let [only] = files.as_slice() { tree.path(*only) } else { path };
    Group { path: path.to_owned(), files, is_final: false, is_outside: false }
}

/// The rest of the project, grouped by the first folder that does not contain the mapped one.
fn surroundings(tree: &Tree, folder: &str, files: &[FileId]) -> Vec<Group> {
    let mut parts: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in files {
        let path = tree.path(*file);
        let shared: usize = path
            .split_inclusive('/')
            .zip(folder.split_inclusive('/'))
            .take_while(|(here, there)| here == there)
            .map(|(here, _)| here.len())
            .sum();
        let end = path[shared..].find('/').map_or(path.len(), |at| shared + at);
        parts.entry(&path[..end]).or_default().push(*file);
    }
    let outside = |(path, files)| Group { is_outside: true, ..group(tree, path, files) };
    parts.into_iter().map(outside).collect()
}

/// The number of imports from one group to another.
fn edges(graph: &FileGraph, groups: &[Group]) -> BTreeMap<(usize, usize), u32> {
    let mut group_of: FxHashMap<FileId, usize> = FxHashMap::default();
    for (at, group) in groups.iter().enumerate() {
        group_of.extend(group.files.iter().map(|file| (*file, at)));
    }
    let mut counts = BTreeMap::new();
    for (file, from) in &group_of {
        for edge in graph.imports(*file) {
            let Some(to) = group_of.get(&edge.file).filter(|to| *to != from) else { continue };
            if !(groups[*from].is_outside && groups[*to].is_outside) {
                *counts.entry((*from, *to)).or_default() += 1;
            }
        }
    }
    counts
}

/// The groups to show, in order.
fn most_connected(groups: &[Group], edges: &BTreeMap<(usize, usize), u32>, limit: usize) -> Vec<usize> {
    let mut degree = vec![0; groups.len()];
    for ((from, to), count) in edges {
        degree[*from] += count;
        degree[*to] += count;
    }
    let best = |is_outside: bool, limit: usize| {
        let mut found: Vec<usize> = (0..groups.len())
            .filter(|at| groups[*at].is_outside == is_outside && (!is_outside || degree[*at] > 0))
            .collect();
        found.sort_by_key(|at| (Reverse(degree[*at]), *at));
        found.truncate(limit);
        found
    };
    let mut kept = best(false, limit);
    kept.extend(best(true, limit.div_ceil(3)));
    kept.sort_unstable();
    kept
}

fn response(
    tree: &Tree,
    groups: &[Group],
    edges: &BTreeMap<(usize, usize), u32>,
    kept: &[usize],
) -> GraphResponse {
    let place_of: FxHashMap<usize, usize> =
        kept.iter().enumerate().map(|(place, group)| (*group, place)).collect();
    let edges = edges.iter().filter_map(|((from, to), count)| {
        Some(GraphEdge {
            from: *place_of.get(from)?,
            to: *place_of.get(to)?,
            kind: EdgeKind::Imports,
            confidence: Confidence::Certain,
            line: None,
            uses: Vec::new(),
            count: *count,
        })
    });
    let total = groups.iter().filter(|group| !group.is_outside).count();
    GraphResponse {
        nodes: kept.iter().map(|at| node(tree, &groups[*at])).collect(),
        edges: edges.collect(),
        total,
        truncated: kept.iter().filter(|at| !groups[**at].is_outside).count() < total,
        ..GraphResponse::default()
    }
}

fn node(tree: &Tree, group: &Group) -> GraphNode {
    let distance = u32::from(group.is_outside);
    match group.files.as_slice() {
        [only] => file_node(tree, *only, distance),
        files => GraphNode {
            files: Some(files.len() as u32),
            is_test: files.iter().all(|file| tree.file(*file).is_test),
            ..bare_node(&group.path, NodeKind::Folder, distance)
        },
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::LanguageTraits;

    use super::*;
    use crate::tree::TreeFile;

    fn tree(paths: &[&str]) -> Tree {
        let file = |path: &&str| TreeFile {
            path: (*path).to_owned(),
            language: String::new(),
            traits: LanguageTraits::PERMISSIVE,
            is_test: path.contains("test"),
        };
        Tree::new(paths.iter().map(file).collect())
    }

    fn parts(tree: &Tree, folder: &str, limit: usize) -> Vec<String> {
        let files: Vec<FileId> =
            tree.iter().filter(|(_, file)| is_within(&file.path, folder)).map(|(file, _)| file).collect();
        opened(tree, folder, &files, limit).into_iter().map(|group| group.path).collect()
    }

    #[test]
    fn the_largest_folder_is_opened_while_the_limit_allows_it() {
        let tree = tree(&["lib/a.ts", "lib/b.ts", "src/x/1.ts", "src/x/2.ts", "src/x/3.ts", "src/y.ts"]);
        assert_eq!(parts(&tree, "", 2), ["lib", "src"]);
        assert_eq!(parts(&tree, "", 3), ["lib", "src/x", "src/y.ts"]);
        assert_eq!(parts(&tree, "", 5), ["lib", "src/x/1.ts", "src/x/2.ts", "src/x/3.ts", "src/y.ts"]);
        assert_eq!(parts(&tree, "src", 2), ["src/x", "src/y.ts"]);
    }

    #[test]
    fn tests_stay_folded_unless_they_are_asked_about() {
        let tree = tree(&["src/a.ts", "src/b.ts", "test/1.ts", "test/2.ts", "test/3.ts"]);
        assert_eq!(parts(&tree, "", 9), ["src/a.ts", "src/b.ts", "test"]);
        assert_eq!(parts(&tree, "test", 9).len(), 3);
    }

    #[test]
    fn what_lies_outside_is_one_node_for_each_neighbour() {
        let tree = tree(&["a/b/c/1.ts", "a/b/d/2.ts", "a/b/d/3.ts", "a/bc/4.ts", "e/5.ts", "e/6.ts"]);
        let outside: Vec<FileId> =
            tree.iter().filter(|(_, file)| !is_within(&file.path, "a/b/c")).map(|(file, _)| file).collect();
        let names: Vec<String> =
            surroundings(&tree, "a/b/c", &outside).into_iter().map(|group| group.path).collect();
        assert_eq!(names, ["a/b/d", "a/bc/4.ts", "e"]);
    }
}
