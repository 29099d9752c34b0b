//! Finds where the code of a project starts to run, or is imported from.
//!
//! Nothing here is specific to a language: a definition of `main`, customary names, and the shape of the import graph
//! are enough.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use vectorcode_core::api::{EntryPoint, EntryReason};
use vectorcode_graph::{FileGraph, FileId};
use vectorcode_source::{is_folder_stem, is_reexport_file};

use crate::error::EngineError;
use crate::graph::{Folder, GraphContext};
use crate::search::PathKind;

const MAIN: &str = "main";
/// Customary names of the file that starts a program.
const PROGRAM_STEMS: [&str; 7] = ["main", "__main__", "cli", "app", "server", "manage", "index"];
/// Folders whose files are programs.
const PROGRAM_FOLDERS: [&str; 2] = ["bin", "cmd"];
/// At most this many per reason, so that a folder of twenty small programs does not hide the library next to it.
const MAX_SAME_REASON: usize = 3;
/// How many candidates per reason have their imports followed, those near the root first: each walk may visit the
/// whole project.
const MAX_WALKS: usize = 40;

/// A file that may be an entry point.
struct EntryCandidate {
    file: FileId,
    reason: EntryReason,
    depth: usize,
}

pub(super) fn find(
    context: &GraphContext<'_>,
    folder: &Folder<'_>,
    limit: usize,
) -> Result<Vec<EntryPoint>, EngineError> {
    let graph = &context.snapshot.files;
    let mains = lines_of_main(context)?;
    let described =
        nearest(context, folder, &mains).into_iter().map(|EntryCandidate { file, reason, depth }| {
            let path = graph.tree().path(file);
            let line = mains.get(path).copied().unwrap_or(1);
            (depth, EntryPoint { path: path.to_owned(), line, reason, reaches: reach(graph, file) })
        });
    // A file that imports nothing from the project starts nothing, unless it defines `main`.
    let starts_something = |point: &EntryPoint| point.reaches > 0 || point.reason == EntryReason::DefinesMain;
    let mut points: Vec<(usize, EntryPoint)> =
        described.filter(|(_, point)| starts_something(point)).collect();
    points.sort_by_key(|(depth, point)| (point.reason, Reverse(point.reaches), *depth));
    few_of_each(&mut points, MAX_SAME_REASON, |(_, point)| point.reason);
    Ok(points.into_iter().map(|(_, point)| point).take(limit).collect())
}

/// The candidates for each reason that are nearest to the root.
fn nearest(
    context: &GraphContext<'_>,
    folder: &Folder<'_>,
    mains: &BTreeMap<String, u32>,
) -> Vec<EntryCandidate> {
    let files = folder.files.iter().copied().filter(|file| may_be_entry(context, *file));
    let mut candidates: Vec<EntryCandidate> = files
        .filter_map(|file| {
            let depth = context.snapshot.files.tree().path(file).matches('/').count();
            Some(EntryCandidate { file, reason: reason(context, file, mains)?, depth })
        })
        .collect();
    candidates.sort_by_key(|candidate| (candidate.reason, candidate.depth, candidate.file));
    few_of_each(&mut candidates, MAX_WALKS, |candidate| candidate.reason);
    candidates
}

/// The file and line of each function named `main`.
fn lines_of_main(context: &GraphContext<'_>) -> Result<BTreeMap<String, u32>, EngineError> {
    let found = context.reader.definitions_named(&[MAIN])?;
    let functions = found.into_iter().flatten().filter(|stored| stored.definition.kind.is_callable());
    Ok(functions.map(|stored| (stored.path, stored.definition.span.start_line)).collect())
}

/// Tests, examples and foreign code are not entry points of the project itself.
fn may_be_entry(context: &GraphContext<'_>, file: FileId) -> bool {
    let described = context.snapshot.files.tree().file(file);
    let kind = PathKind::of(&described.path);
    context.snapshot.is_code(file)
        && !described.is_test
        && !kind.example
        && !kind.foreign
        && !kind.declarations
}

fn reason(context: &GraphContext<'_>, file: FileId, mains: &BTreeMap<String, u32>) -> Option<EntryReason> {
    let graph = &context.snapshot.files;
    let path = graph.tree().path(file);
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let parent = folders.rsplit('/').next().unwrap_or_default();
    let project = context.project.name();
    let is_package = is_reexport_file(name) || is_folder_stem(stem) || stem == parent || stem == project;
    if mains.contains_key(path) {
        Some(EntryReason::DefinesMain)
    } else if is_package {
        Some(EntryReason::Package)
    } else if PROGRAM_STEMS.contains(&stem) || folders.split('/').any(|f| PROGRAM_FOLDERS.contains(&f)) {
        Some(EntryReason::ProgramName)
    } else if graph.importers(file).is_empty() {
        Some(EntryReason::NotImported)
    } else {
        None
    }
}

/// How many files a file imports, directly or indirectly.
fn reach(graph: &FileGraph, start: FileId) -> u64 {
    let mut seen = HashSet::from([start]);
    let mut open = vec![start];
    while let Some(file) = open.pop() {
        open.extend(graph.imports(file).iter().map(|edge| edge.file).filter(|file| seen.insert(*file)));
    }
    seen.len() as u64 - 1
}

/// Keeps the first `most` of each reason.
fn few_of_each<T>(found: &mut Vec<T>, most: usize, reason: impl Fn(&T) -> EntryReason) {
    let mut counts: BTreeMap<EntryReason, usize> = BTreeMap::new();
    found.retain(|one| {
        let count = counts.entry(reason(one)).or_default();
        *count += 1;
        *count <= most
    });
}
