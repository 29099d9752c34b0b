//! What a change touches: changed files and symbols, the code that uses them, and the tests that reach them.
//!
//! The texts that are compared are parsed here, so the symbols are right even where the index is behind. Who uses them
//! comes from the index, which is of the files on disk; the answer says which files it holds in another version.

use std::collections::{BTreeMap, BTreeSet};

use similar::{Algorithm, DiffOp, capture_diff_slices};
use vectorcode_core::api::{
    ChangeKind, ChangedSymbol, ChangesRequest, ChangesResponse, FileChange, GraphNode,
};
use vectorcode_core::{BlobId, Definition, DefinitionKind, Links, read_bounded_regular_file};
use vectorcode_graph::queries::{self, Direction, Extent};
use vectorcode_graph::{FileId, SymbolId, Symbols};
use vectorcode_history::{FileDiff, Repository};
use vectorcode_source::{Parsers, SourceText, by_path};

use super::GraphContext;
use super::facts::IndexFacts;
use super::renames::renames;
use super::tests_to_run::{affected, test_files, tests_to_run};
use crate::error::EngineError;

/// A longer file is listed without its symbols.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Nodes that are derived before tests and other code are listed apart.
const MAX_NODES: usize = 5_000;

/// A changed file with both texts; one that was added or deleted has one.
struct Change {
    path: String,
    /// Where a renamed file was before.
    old_path: Option<String>,
    old: Option<String>,
    new: Option<String>,
    is_indexed: bool,
}

pub(crate) fn changes(
    context: &GraphContext<'_>,
    request: &ChangesRequest,
) -> Result<ChangesResponse, EngineError> {
    let repository = Repository::open(context.project.root())?.ok_or(EngineError::NoRepository)?;
    let resolve =
        |revision: &Option<String>| revision.as_deref().map(|name| repository.resolve(name)).transpose();
    let to = resolve(&request.commit)?.or_else(|| context.source.commit());
    let from = match (resolve(&request.base)?, to) {
        (Some(base), _) => Some(base),
        (None, Some(commit)) => repository.parent(commit)?,
        (None, None) => Some(repository.head()?.ok_or(EngineError::NoRepository)?),
    };
    let changes = match (to, from) {
        (Some(to), from) => {
            let differing = repository.differing(from, to)?;
            committed(context, &repository, differing)?
        }
        (None, Some(from)) => on_disk(context, &repository, repository.differing(None, from)?)?,
        (None, None) => Vec::new(),
    };
    let mut response = ChangesResponse {
        from: from.map_or_else(String::new, |id| id.to_string()),
        to: to.map(|id| id.to_string()),
        ..ChangesResponse::default()
    };
    for change in join_renamed(changes) {
        change.add_to(Parsers::of(context.project.root()), &mut response)?;
    }
    add_impact(context, request, &mut response)?;
    note_on_index(&mut response);
    Ok(response)
}

/// The files that differ between two commits.
fn committed(
    context: &GraphContext<'_>,
    repository: &Repository,
    differing: Vec<FileDiff>,
) -> Result<Vec<Change>, EngineError> {
    let mut changes = Vec::new();
    for FileDiff { path, old, new } in differing {
        let bytes = |id: Option<BlobId>| id.and_then(|id| repository.blob(id));
        let new = bytes(new);
        let is_indexed = holds(context, &path, new.as_deref())?;
        let (old, new) = (bytes(old).and_then(text), new.and_then(text));
        changes.push(Change { path, old_path: None, old, new, is_indexed });
    }
    Ok(changes)
}

/// The files of the index that differ from those of a commit, and files of the commit that are gone.
fn on_disk(
    context: &GraphContext<'_>,
    repository: &Repository,
    committed: Vec<FileDiff>,
) -> Result<Vec<Change>, EngineError> {
    let mut committed: BTreeMap<String, Option<BlobId>> =
        committed.into_iter().map(|file| (file.path, file.new)).collect();
    let mut changes = Vec::new();
    for file in context.reader.source_files()? {
        let old = committed.remove(&file.path).flatten();
        let disk = context.project.absolute(&file.path);
        let Ok(bytes) = read_bounded_regular_file(&disk, MAX_FILE_BYTES, Links::Refuse) else {
            if old.is_some() && !disk.exists() {
                committed.insert(file.path, old);
            }
            continue;
        };
        if old.is_some_and(|old| old.is_of(&bytes)) {
            continue;
        }
        let is_indexed = holds(context, &file.path, Some(&bytes))?;
        let old = old.and_then(|id| repository.blob(id)).and_then(text);
        changes.push(Change { path: file.path, old_path: None, old, new: text(bytes), is_indexed });
    }
    for (path, old) in committed {
        // What is there and not in the index is none of its business: pictures, ignored files.
        if context.project.absolute(&path).symlink_metadata().is_err() {
            let is_indexed = holds(context, &path, None)?;
            let old = old.and_then(|id| repository.blob(id)).and_then(text);
            changes.push(Change { path, old_path: None, old, new: None, is_indexed });
        }
    }
    changes.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(changes)
}

/// Makes one change of a deleted file and the added one that has its text.
fn join_renamed(changes: Vec<Change>) -> Vec<Change> {
    let (deleted, changes): (Vec<Change>, Vec<Change>) =
        changes.into_iter().partition(|change| change.old.is_some() && change.new.is_none());
    let (added, mut changes): (Vec<Change>, Vec<Change>) =
        changes.into_iter().partition(|change| change.old.is_none() && change.new.is_some());
    let old_texts: Vec<&str> = deleted.iter().filter_map(|change| change.old.as_deref()).collect();
    let new_texts: Vec<&str> = added.iter().filter_map(|change| change.new.as_deref()).collect();
    let pairs = renames(&old_texts, &new_texts);
    let (mut deleted, mut added) = (options(deleted), options(added));
    for (old, new) in pairs {
        if let (Some(old), Some(new)) = (deleted[old].take(), added[new].take()) {
            let is_indexed = old.is_indexed && new.is_indexed;
            changes.push(Change { old_path: Some(old.path), old: old.old, is_indexed, ..new });
        }
    }
    changes.extend(deleted.into_iter().chain(added).flatten());
    changes.sort_by(|one, other| one.path.cmp(&other.path));
    changes
}

fn options<T>(all: Vec<T>) -> Vec<Option<T>> {
    all.into_iter().map(Some).collect()
}

/// Whether the index has the file with this content, or does not have it where there is none.
fn holds(context: &GraphContext<'_>, path: &str, bytes: Option<&[u8]>) -> Result<bool, EngineError> {
    let known = context.reader.file(path)?.map(|state| state.hash);
    Ok(known == bytes.map(|bytes| blake3::hash(bytes).into()))
}

/// `None` for what is no text.
fn text(bytes: Vec<u8>) -> Option<String> {
    let decoded = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    (!decoded.contains('\0')).then_some(decoded)
}

impl Change {
    fn kind(&self) -> ChangeKind {
        match (&self.old, &self.new) {
            _ if self.old_path.is_some() => ChangeKind::Renamed,
            (None, _) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(_), Some(_)) => ChangeKind::Modified,
        }
    }

    fn add_to(&self, parsers: Parsers<'_>, response: &mut ChangesResponse) -> Result<(), EngineError> {
        let (old, new) = (self.old.as_deref().unwrap_or_default(), self.new.as_deref().unwrap_or_default());
        let lines = ChangedLines::between(old, new);
        response.files.push(FileChange {
            path: self.path.clone(),
            old_path: self.old_path.clone(),
            change: self.kind(),
            lines_added: lines.added,
            lines_removed: lines.removed,
            is_indexed: self.is_indexed,
        });
        let old_path = self.old_path.as_ref().unwrap_or(&self.path);
        let (old, new) = (definitions(parsers, old_path, old)?, definitions(parsers, &self.path, new)?);
        let names = |all: &[(Definition, bool)]| -> BTreeSet<String> {
            all.iter().map(|(definition, _)| definition.qualified.clone()).collect()
        };
        let (old_names, new_names) = (names(&old), names(&new));
        for (definition, is_test) in innermost(&new, &lines) {
            let is_new = !old_names.contains(&definition.qualified);
            let change = if is_new { ChangeKind::Added } else { ChangeKind::Modified };
            response.symbols.push(self.symbol(definition, *is_test, change));
        }
        for (definition, is_test) in old.iter().filter(|(old, _)| !new_names.contains(&old.qualified)) {
            response.symbols.push(self.symbol(definition, *is_test, ChangeKind::Deleted));
        }
        Ok(())
    }

    fn symbol(&self, definition: &Definition, is_test: bool, change: ChangeKind) -> ChangedSymbol {
        ChangedSymbol {
            name: definition.qualified.clone(),
            kind: definition.kind,
            change,
            path: self.path.clone(),
            start_line: definition.span.start_line,
            end_line: definition.span.end_line,
            is_test,
        }
    }
}

/// The definitions of a text, and whether each is test code.
fn definitions(parsers: Parsers<'_>, path: &str, text: &str) -> Result<Vec<(Definition, bool)>, EngineError> {
    let Some(language) = by_path(path) else { return Ok(Vec::new()) };
    // Its lines are those of the text, even where the text is a notebook.
    let source = SourceText::decode(language, text.as_bytes().to_vec());
    let parsed = parsers.parse(path, language, &source)?;
    let is_test = |definition: &Definition| {
        let line = definition.span.start_line;
        parsed.flags.test || parsed.chunks.iter().any(|chunk| chunk.is_test && chunk.span.holds_line(line))
    };
    let named = parsed.definitions.iter().filter(|definition| definition.kind != DefinitionKind::Section);
    Ok(named.map(|definition| (definition.clone(), is_test(definition))).collect())
}

/// Which lines of the new text are new, and between which lines some were removed.
#[derive(Debug, Default)]
struct ChangedLines {
    added: u32,
    removed: u32,
    /// From 1.
    lines: BTreeSet<u32>,
    /// The line before each gap; 0 at the beginning.
    gaps: BTreeSet<u32>,
}

impl ChangedLines {
    fn between(old: &str, new: &str) -> Self {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let mut changed = Self::default();
        for operation in capture_diff_slices(Algorithm::Histogram, &old, &new) {
            let (removed, added) = (operation.old_range().len() as u32, operation.new_range());
            if matches!(operation, DiffOp::Equal { .. }) {
                continue;
            }
            changed.removed += removed;
            changed.added += added.len() as u32;
            if added.is_empty() {
                changed.gaps.insert(added.start as u32);
            }
            changed.lines.extend(added.map(|line| line as u32 + 1));
        }
        changed
    }

    /// Whether a definition has changed lines of its own. A gap at its edge belongs to what was removed there.
    fn first_in(&self, definition: &Definition) -> bool {
        let (start, end) = (definition.span.start_line, definition.span.end_line);
        self.lines.range(start..=end).next().is_some() || self.gaps.range(start..end).next().is_some()
    }
}

/// The definitions that contain changes which none of the definitions inside them contains.
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
    let touched: Vec<&(Definition, bool)> =
        definitions.iter().filter(|(definition, _)| lines.first_in(definition) && own(definition)).collect();
    touched.into_iter()
}

/// Who uses the changed symbols, by the index.
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

/// The changed symbols as the index knows them: by file and qualified name, because its lines may be others. Of a renamed file
/// all: who uses them may name the file.
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
        (_, Some(_)) => "The index is of the files on disk, not of this commit",
    };
    let files =
        if other == 1 { "1 changed file is".to_owned() } else { format!("{other} changed files are") };
    response
        .notes
        .push(format!("{what}: {files} in it in another version, so callers and tests may be missing."));
}
