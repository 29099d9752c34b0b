//! The effect of a change: changed files and symbols, the code that uses them, and the tests that reach them.
//!
//! The compared texts are parsed here, so the symbols are right even if the index is behind. The callers come from
//! the index, which reflects the files on disk; a note says how many changed files it holds in another version.

use std::collections::{BTreeMap, BTreeSet};

use vectorcode_core::api::{
    ChangeKind, ChangedSymbol, ChangesRequest, ChangesResponse, FileChange, GraphNode,
};
use vectorcode_core::{Definition, DefinitionKind};
use vectorcode_graph::queries::{self, Direction, Extent};
use vectorcode_graph::{FileId, SymbolId, Symbols};
use vectorcode_source::{Parsers, SourceText, by_path};

use super::GraphContext;
use super::facts::IndexFacts;
use super::tests_to_run::{affected, test_files, tests_to_run};
use crate::compare::{ChangedLines, ComparedFile, Comparing};
use crate::error::EngineError;

/// Maximum number of nodes collected before tests and other code are separated.
const MAX_NODES: usize = 5_000;

pub(crate) fn changes(
    context: &GraphContext<'_>,
    request: &ChangesRequest,
) -> Result<ChangesResponse, EngineError> {
    let GraphContext { project, source, reader, .. } = *context;
    let comparison = Comparing { project, source, reader }.compare(request)?;
    let mut response = ChangesResponse {
        from: comparison.from.map_or_else(String::new, |id| id.to_string()),
        to: comparison.to.map(|id| id.to_string()),
        ..ChangesResponse::default()
    };
    for file in &comparison.files {
        add_file(file, Parsers::of(context.project.root()), &mut response)?;
    }
    add_impact(context, request, &mut response)?;
    note_on_index(&mut response);
    Ok(response)
}

/// Adds a file and its changed symbols to the response.
fn add_file(
    file: &ComparedFile,
    parsers: Parsers<'_>,
    response: &mut ChangesResponse,
) -> Result<(), EngineError> {
    let lines = ChangedLines::between(file.old_text(), file.new_text());
    response.files.push(FileChange {
        path: file.path.clone(),
        old_path: file.old_path.clone(),
        change: file.kind(),
        lines_added: lines.added,
        lines_removed: lines.removed,
        is_indexed: file.is_indexed,
    });
    let old = definitions(parsers, file.before(), file.old_text())?;
    let new = definitions(parsers, &file.path, file.new_text())?;
    let names = |all: &[(Definition, bool)]| -> BTreeSet<String> {
        all.iter().map(|(definition, _)| definition.qualified.clone()).collect()
    };
    let (old_names, new_names) = (names(&old), names(&new));
    for (definition, is_test) in innermost(&new, &lines) {
        let is_new = !old_names.contains(&definition.qualified);
        let change = if is_new { ChangeKind::Added } else { ChangeKind::Modified };
        response.symbols.push(symbol(file, definition, *is_test, change));
    }
    for (definition, is_test) in old.iter().filter(|(old, _)| !new_names.contains(&old.qualified)) {
        response.symbols.push(symbol(file, definition, *is_test, ChangeKind::Deleted));
    }
    Ok(())
}

fn symbol(file: &ComparedFile, definition: &Definition, is_test: bool, change: ChangeKind) -> ChangedSymbol {
    ChangedSymbol {
        name: definition.qualified.clone(),
        kind: definition.kind,
        change,
        path: file.path.clone(),
        start_line: definition.span.start_line,
        end_line: definition.span.end_line,
        is_test,
    }
}

/// The definitions in a text, and whether each is test code.
fn definitions(parsers: Parsers<'_>, path: &str, text: &str) -> Result<Vec<(Definition, bool)>, EngineError> {
    let Some(language) = by_path(path) else { return Ok(Vec::new()) };
    // Line numbers refer to the decoded text, even for a notebook.
    let source = SourceText::decode(language, text.as_bytes().to_vec());
    let parsed = parsers.parse(path, language, &source)?;
    let is_test = |definition: &Definition| {
        let line = definition.span.start_line;
        parsed.flags.test || parsed.chunks.iter().any(|chunk| chunk.is_test && chunk.span.holds_line(line))
    };
    let named = parsed.definitions.iter().filter(|definition| definition.kind != DefinitionKind::Section);
    Ok(named.map(|definition| (definition.clone(), is_test(definition))).collect())
}

/// The definitions that contain a change which none of the definitions nested in them contains.
fn innermost<'d>(
    definitions: &'d [(Definition, bool)],
    lines: &ChangedLines,
) -> impl Iterator<Item = &'d (Definition, bool)> {
    let own = |definition: &Definition| {
        let (start, end) = (definition.span.start_line, definition.span.end_line);
        let is_inside = |line: u32| {
            definitions.iter().any(|(inner, _)| {
                let span = &inner.span;
                let is_smaller = span.byte_start >= definition.span.byte_start
                    && span.byte_end <= definition.span.byte_end
                    && (span.byte_end - span.byte_start)
                        < (definition.span.byte_end - definition.span.byte_start);
                is_smaller && span.holds_line(line)
            })
        };
        lines.lines.range(start..=end).any(|line| !is_inside(*line))
            || lines.gaps.range(start..end).any(|line| !is_inside(*line))
    };
    let touched: Vec<&(Definition, bool)> = definitions
        .iter()
        .filter(|(definition, _)| lines.are_in(&definition.span) && own(definition))
        .collect();
    touched.into_iter()
}

/// Adds the users of the changed symbols, according to the index.
fn add_impact(
    context: &GraphContext<'_>,
    request: &ChangesRequest,
    response: &mut ChangesResponse,
) -> Result<(), EngineError> {
    let files = &context.snapshot.files;
    let facts = IndexFacts::new(context.reader, files.tree(), context.cancel);
    let symbols = Symbols::new(files, &facts);
    let ids = ids(context, &symbols, response)?;
    let changed: Vec<FileId> =
        response.files.iter().filter_map(|file| files.tree().get(&file.path)).collect();
    let extent = Extent { direction: Direction::Backward, depth: request.depth, limit: MAX_NODES };
    let reached = queries::symbol_impact(files, &symbols, &ids, &extent)?;
    let is_user = |node: &&GraphNode| !node.is_test && node.distance > 0;
    response.affected = reached.nodes.iter().filter(is_user).map(affected).collect();
    response.tests = tests_to_run(context, &reached)?;
    response.test_files = test_files(context, changed.into_iter(), &reached)?;
    let longest = response.affected.len().max(response.tests.len()).max(response.test_files.len());
    response.truncated = reached.truncated || longest > request.limit;
    response.affected.truncate(request.limit);
    response.tests.truncate(request.limit);
    response.test_files.truncate(request.limit);
    response.impact = reached.impact.unwrap_or_default();
    response.notes.extend(reached.notes);
    Ok(())
}

/// The changed symbols in the index, looked up by file and qualified name because lines may differ. For a renamed
/// file all of its symbols, because users may refer to the file by name.
fn ids(
    context: &GraphContext<'_>,
    symbols: &Symbols<'_, IndexFacts<'_>>,
    response: &ChangesResponse,
) -> Result<Vec<SymbolId>, EngineError> {
    let mut by_path: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for symbol in &response.symbols {
        by_path.entry(&symbol.path).or_default().insert(&symbol.name);
    }
    let mut ids = BTreeSet::new();
    let renamed = response.files.iter().filter(|file| file.change == ChangeKind::Renamed);
    let renamed: BTreeSet<&str> = renamed.map(|file| file.path.as_str()).collect();
    for path in &renamed {
        by_path.entry(path).or_default();
    }
    for (path, names) in by_path {
        let Some(file) = context.snapshot.files.tree().get(path) else { continue };
        for stored in context.reader.definitions_of(path)? {
            if renamed.contains(path) || names.contains(stored.definition.qualified.as_str()) {
                ids.insert(symbols.canonical(SymbolId { file, ordinal: stored.ordinal })?);
            }
        }
    }
    Ok(ids.into_iter().collect())
}

fn note_on_index(response: &mut ChangesResponse) {
    let other = response.files.iter().filter(|file| !file.is_indexed).count();
    let what = match (other, &response.to) {
        (0, _) => return,
        (_, None) => "The index is behind the files on disk",
        (_, Some(_)) => "The index reflects the files on disk, not this commit",
    };
    let files =
        if other == 1 { "1 changed file is".to_owned() } else { format!("{other} changed files are") };
    response
        .notes
        .push(format!("{what}: {files} in it in another version, so callers and tests may be missing."));
}
