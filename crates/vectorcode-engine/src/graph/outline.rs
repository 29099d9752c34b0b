//! What a file or folder contains: definitions with their lines, or files and folders with their main definitions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use vectorcode_core::DefinitionKind;
use vectorcode_core::api::{FileRequest, FileResponse, OutlineEntry, OutlineRequest, OutlineResponse};
use vectorcode_graph::{FileId, Symbols};

use super::GraphContext;
use super::facts::IndexFacts;
use super::target::Targets;
use crate::{EngineError, file};

/// Definitions that are named of each file or folder in a map.
const MAX_SYMBOLS: usize = 6;
/// Files of a folder whose definitions are read: the most imported ones.
const MAX_FILES_READ: usize = 3;

pub(crate) fn outline(
    context: &GraphContext<'_>,
    request: &OutlineRequest,
) -> Result<OutlineResponse, EngineError> {
    let files = &context.snapshot.files;
    let facts = IndexFacts::new(context.reader, files.tree(), context.cancel);
    let symbols = Symbols::new(files, &facts);
    let targets = Targets::new(context, &symbols);
    let path = targets.relative(request.path.trim());
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let is_root = path.is_empty() || path == ".";
    if !is_root && let Ok(file) = targets.file(path) {
        return file_outline(context, files.tree().path(file));
    }
    let inside = if is_root {
        Some(files.tree().iter().map(|(file, _)| file).collect())
    } else {
        targets.folder(path)
    };
    match inside {
        Some(inside) => folder_outline(context, if is_root { "" } else { path }, &inside),
        None => Err(targets.file(path).err().unwrap_or(EngineError::NotIndexed { path: path.to_owned() })),
    }
}

fn file_outline(context: &GraphContext<'_>, path: &str) -> Result<OutlineResponse, EngineError> {
    let request = FileRequest { path: path.to_owned(), start_line: None, end_line: None };
    let FileResponse { path, language, lines, definitions, freshness, .. } =
        file::read(context.scope, context.reader, &request)?;
    Ok(OutlineResponse::File { path, language, lines, definitions, freshness, notes: Vec::new() })
}

/// Files and folders directly inside, those that others import most first.
fn folder_outline(
    context: &GraphContext<'_>,
    folder: &str,
    inside: &[FileId],
) -> Result<OutlineResponse, EngineError> {
    let tree = context.snapshot.files.tree();
    let mut children: BTreeMap<String, Vec<FileId>> = BTreeMap::new();
    for file in inside {
        let path = tree.path(*file);
        let below = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
        let prefix = &path[..path.len() - below.len()];
        let child = match below.split_once('/') {
            Some((directory, _)) => format!("{prefix}{directory}/"),
            None => path.to_owned(),
        };
        children.entry(child).or_default().push(*file);
    }
    let mut entries = Vec::new();
    for (path, files) in children {
        entries.push(entry(context, path, files)?);
    }
    entries.sort_by(|one, other| (other.importers, &one.path).cmp(&(one.importers, &other.path)));
    let (path, files) = (folder.to_owned(), inside.len() as u64);
    Ok(OutlineResponse::Folder { path, files, entries, notes: Vec::new() })
}

fn entry(
    context: &GraphContext<'_>,
    path: String,
    mut files: Vec<FileId>,
) -> Result<OutlineEntry, EngineError> {
    let graph = &context.snapshot.files;
    let importers = |file: &FileId| graph.importers(*file).len();
    let outside = files
        .iter()
        .flat_map(|file| graph.importers(*file))
        .filter(|edge| !graph.tree().path(edge.file).starts_with(&path));
    let outside: BTreeSet<FileId> = outside.map(|edge| edge.file).collect();
    let count = files.len() as u64;
    files.sort_by_key(|file| (graph.tree().file(*file).is_test, Reverse(importers(file))));
    let mut symbols = Vec::new();
    for file in files.iter().take(MAX_FILES_READ) {
        if symbols.len() >= MAX_SYMBOLS {
            break;
        }
        symbols.extend(main_definitions(context, graph.tree().path(*file))?);
    }
    symbols.truncate(MAX_SYMBOLS);
    Ok(OutlineEntry { path, files: count, importers: outside.len() as u64, symbols })
}

/// The definitions at the top level of a file, types before functions before the rest.
fn main_definitions(context: &GraphContext<'_>, path: &str) -> Result<Vec<String>, EngineError> {
    let rank = |kind: DefinitionKind| match kind {
        DefinitionKind::Class
        | DefinitionKind::Struct
        | DefinitionKind::Enum
        | DefinitionKind::Interface
        | DefinitionKind::Trait => Some(0),
        DefinitionKind::Function | DefinitionKind::Macro => Some(1),
        DefinitionKind::Type | DefinitionKind::Constant | DefinitionKind::Section => Some(2),
        DefinitionKind::Method
        | DefinitionKind::Module
        | DefinitionKind::Variable
        | DefinitionKind::Field => None,
    };
    let definitions = context.reader.definitions_of(path)?;
    let mut top: Vec<(u8, u32, String)> = definitions
        .into_iter()
        .map(|stored| stored.definition)
        .filter(|definition| {
            !definition.qualified.contains('.') || definition.kind == DefinitionKind::Section
        })
        .filter_map(|definition| Some((rank(definition.kind)?, definition.span.start_line, definition.name)))
        .collect();
    top.sort();
    let mut names: Vec<String> = Vec::new();
    for (_, _, name) in top {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(MAX_SYMBOLS);
    Ok(names)
}
