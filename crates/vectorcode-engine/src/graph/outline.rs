//! The contents of a file or folder: definitions with their lines, or files and folders with their main definitions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use vectorcode_core::DefinitionKind;
use vectorcode_core::api::{
    FileDefinition, FileRequest, FileResponse, OutlineEntry, OutlineRequest, OutlineResponse,
};
use vectorcode_graph::{FileId, Symbols};

use super::GraphContext;
use super::facts::IndexFacts;
use super::target::Targets;
use crate::error::EngineError;
use crate::project::file;

/// How many definitions are named for each file or folder in a map.
const MAX_SYMBOLS: usize = 6;
/// How many files of a folder are read for their definitions: the most imported ones.
const MAX_FILES_READ: usize = 3;

pub(crate) fn outline(
    context: &GraphContext<'_>,
    request: &OutlineRequest,
    found: &Matching,
) -> Result<OutlineResponse, EngineError> {
    let files = &context.snapshot.files;
    let facts = IndexFacts::new(context.reader, files.tree(), context.cancel);
    let symbols = Symbols::new(files, &facts);
    let targets = Targets::new(context, &symbols);
    let path = targets.relative(request.path.trim());
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let is_root = path.is_empty() || path == ".";
    if !is_root && let Ok(file) = targets.file(path) {
        return file_outline(context, files.tree().path(file), found);
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

fn file_outline(
    context: &GraphContext<'_>,
    path: &str,
    matching: &Matching,
) -> Result<OutlineResponse, EngineError> {
    let request = FileRequest { path: path.to_owned(), start_line: None, end_line: None };
    let FileResponse { path, language, lines, definitions, freshness, .. } =
        file::read(context.scope, context.reader, &request)?;
    let (definitions, rest) = matching.split(definitions);
    let mut others = BTreeMap::new();
    for definition in rest {
        *others.entry(definition.kind).or_default() += 1;
    }
    Ok(OutlineResponse::File { path, language, lines, definitions, others, freshness, notes: Vec::new() })
}

/// Which definitions of a file to show: all, or those named in the query and those at places that a search found.
#[derive(Debug)]
pub(crate) enum Matching {
    All,
    Found { query: String, places: Vec<FoundPlace> },
}

#[derive(Debug)]
pub(crate) struct FoundPlace {
    pub symbol: Option<String>,
    pub start_line: u32,
    pub end_line: u32,
}

impl FoundPlace {
    /// Whether a definition belongs to this place: by its symbol if the file has it, otherwise every definition that
    /// starts inside, because small ones share a chunk.
    fn is_of(&self, definition: &FileDefinition, is_named: bool) -> bool {
        match &self.symbol {
            Some(symbol) if is_named => definition.qualified == *symbol,
            _ => (self.start_line..=self.end_line).contains(&definition.name_line),
        }
    }
}

impl Matching {
    /// Splits definitions into those that match, together with their enclosing types, and the others.
    fn split(&self, definitions: Vec<FileDefinition>) -> (Vec<FileDefinition>, Vec<FileDefinition>) {
        let Self::Found { query, places } = self else { return (definitions, Vec::new()) };
        let is_named = |place: &FoundPlace| {
            definitions.iter().any(|other| place.symbol.as_deref() == Some(other.qualified.as_str()))
        };
        let named: Vec<bool> = places.iter().map(is_named).collect();
        let is_found = |definition: &FileDefinition| {
            let is_at = |(place, is_named): (&FoundPlace, &bool)| place.is_of(definition, *is_named);
            is_written_in(query, &definition.qualified) || places.iter().zip(&named).any(is_at)
        };
        let found: BTreeSet<String> = definitions
            .iter()
            .filter(|definition| is_found(definition))
            .map(|found| found.qualified.clone())
            .collect();
        let is_around = |name: &str| {
            found.iter().any(|found| found.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
        };
        let is_shown = |definition: &FileDefinition| {
            found.contains(&definition.qualified) || is_around(&definition.qualified)
        };
        definitions.into_iter().partition(is_shown)
    }
}

fn is_written_in(query: &str, qualified: &str) -> bool {
    let name = qualified.rsplit(['.', ':']).next().unwrap_or(qualified);
    query.split_whitespace().any(|word| word == qualified || word == name)
}

/// The files and folders directly inside, the most imported ones first.
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

/// The top-level definitions of a file: types first, then functions, then the rest.
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
