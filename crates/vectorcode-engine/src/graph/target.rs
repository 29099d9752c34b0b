//! What a name in a request means: a file, a folder, or the symbols of that name.

use std::path::Path;

use vectorcode_core::{DefinitionKind, PathFilter};
use vectorcode_graph::{FileId, SymbolId, Symbols, Tree};
use vectorcode_store::{ChunkFilter, DefinitionMatch, NameMatch};

use super::GraphContext;
use super::facts::IndexFacts;
use crate::EngineError;

/// How many definitions of one name are followed.
const MAX_SAME_NAME: usize = 200;
const NEAREST: usize = 5;

/// The symbols that a name means.
#[derive(Debug)]
pub(super) struct FoundSymbols {
    pub ids: Vec<SymbolId>,
    /// Without its scopes.
    pub bare_name: String,
    /// Set when there is more than one.
    pub note: Option<String>,
}

#[derive(Debug)]
pub(super) enum Subject {
    File(FileId),
    Symbols(FoundSymbols),
}

impl Subject {
    /// The file, or the one in which the first symbol is defined.
    pub fn file(&self) -> FileId {
        match self {
            Self::File(file) => *file,
            Self::Symbols(found) => found.ids.first().map_or(FileId(0), |id| id.file),
        }
    }
}

pub(super) struct Targets<'a> {
    context: &'a GraphContext<'a>,
    symbols: &'a Symbols<'a, IndexFacts<'a>>,
}

impl<'a> Targets<'a> {
    pub fn new(context: &'a GraphContext<'a>, symbols: &'a Symbols<'a, IndexFacts<'a>>) -> Self {
        Self { context, symbols }
    }

    fn tree(&self) -> &Tree {
        self.context.snapshot.files.tree()
    }

    /// A file by its path, or by as much of its end as is needed to tell it from others.
    pub fn file(&self, path: &str) -> Result<FileId, EngineError> {
        let relative = self.relative(path);
        if let Some(file) = self.tree().get(&relative) {
            return Ok(file);
        }
        let ending = format!("/{relative}");
        let mut matching = self.tree().iter().filter(|(_, file)| file.path.ends_with(&ending));
        match (matching.next(), matching.next()) {
            (Some((file, _)), None) => Ok(file),
            (None, _) => {
                Err(EngineError::UnknownFile { nearest: self.like_paths(&relative), path: relative })
            }
            (Some((_, first)), Some((_, second))) => {
                let paths = [first, second].into_iter().chain(matching.map(|(_, file)| file));
                let paths = paths.take(NEAREST).map(|file| file.path.clone()).collect();
                Err(EngineError::AmbiguousFile { path: relative, paths })
            }
        }
    }

    fn relative(&self, path: &str) -> String {
        let relative = self.context.project.relative(Path::new(path));
        relative.unwrap_or_else(|_| path.to_owned())
    }

    /// The files of a folder and below; `None` where there is no such folder.
    pub fn folder(&self, path: &str) -> Option<Vec<FileId>> {
        let folder = format!("{}/", self.relative(path).trim_end_matches('/'));
        let inside = |file: &str| folder == "/" || file.starts_with(&folder);
        let files: Vec<FileId> =
            self.tree().iter().filter(|(_, file)| inside(&file.path)).map(|(file, _)| file).collect();
        (!files.is_empty()).then_some(files)
    }

    /// `path#name`, a name with or without its scopes.
    pub fn symbols(&self, name: &str) -> Result<FoundSymbols, EngineError> {
        let (filter, wanted) = match name.split_once('#') {
            Some((path, wanted)) if !path.is_empty() => {
                let path = self.tree().path(self.file(path)?).to_owned();
                (ChunkFilter { paths: PathFilter::prefix(path), ..ChunkFilter::default() }, wanted)
            }
            _ => (ChunkFilter::default(), name.trim_start_matches('#')),
        };
        let exact = NameMatch::Exact(wanted.to_owned());
        let found = self.context.reader.definitions(&exact, &filter, MAX_SAME_NAME)?;
        let found = best(found);
        let Some(first) = found.first() else {
            return Err(EngineError::UnknownSymbol {
                name: name.into(),
                nearest: self.like_names(wanted, &filter)?,
            });
        };
        let bare_name = first.definition.definition.name.clone();
        let mut ids = Vec::new();
        for definition in &found {
            let stored = &definition.definition;
            let Some(file) = self.tree().get(&stored.path) else { continue };
            ids.push(self.symbols.canonical(SymbolId { file, ordinal: stored.ordinal })?);
        }
        ids.sort_unstable();
        ids.dedup();
        let note = self.note_on_several(wanted, &ids)?;
        Ok(FoundSymbols { ids, bare_name, note })
    }

    fn note_on_several(&self, name: &str, ids: &[SymbolId]) -> Result<Option<String>, EngineError> {
        if ids.len() < 2 {
            return Ok(None);
        }
        let mut named = Vec::new();
        for id in ids.iter().take(NEAREST) {
            if let Some(defined) = self.symbols.defined(*id)? {
                named.push(format!("{}#{}", self.tree().path(id.file), defined.definition.qualified));
            }
        }
        let more = if ids.len() > NEAREST { ", ..." } else { "" };
        let count = ids.len();
        Ok(Some(format!(
            "{count} symbols are named `{name}`; the results are for all of them. To pick one: {}{more}",
            named.join(", ")
        )))
    }

    /// A file if it reads like one that is there, else a symbol.
    pub fn any(&self, target: &str) -> Result<Subject, EngineError> {
        if target.contains('#') {
            return self.symbols(target).map(Subject::Symbols);
        }
        match self.file(target) {
            Ok(file) => Ok(Subject::File(file)),
            Err(error) if is_like_path(target) => Err(error),
            Err(_) => self.symbols(target).map(Subject::Symbols),
        }
    }

    fn like_paths(&self, path: &str) -> Vec<String> {
        let name = file_name(path).to_lowercase();
        let stem = name.split('.').next().unwrap_or(&name);
        let mut scored: Vec<(usize, &str)> = self
            .tree()
            .iter()
            .map(|(_, file)| (difference(&name, stem, &file.path), file.path.as_str()))
            .filter(|(difference, _)| *difference < usize::MAX)
            .collect();
        scored.sort_unstable();
        scored.into_iter().take(NEAREST).map(|(_, path)| path.to_owned()).collect()
    }

    fn like_names(&self, name: &str, filter: &ChunkFilter) -> Result<Vec<String>, EngineError> {
        let last = name.rsplit(['.', ':', '#', '/']).next().unwrap_or(name);
        let mut names: Vec<String> = Vec::new();
        for scope in [filter, &ChunkFilter::default()] {
            let near = self.context.reader.definitions(&NameMatch::Fuzzy(last.to_owned()), scope, 20)?;
            for found in near.iter().filter(|found| is_worth_asking(found.definition.definition.kind)) {
                let qualified = &found.definition.definition.qualified;
                if !names.contains(qualified) {
                    names.push(qualified.clone());
                }
            }
            if !names.is_empty() {
                break;
            }
        }
        names.truncate(NEAREST);
        Ok(names)
    }
}

/// Those that match best, and of these not fields and headings where there is something that can be called.
fn best(found: Vec<DefinitionMatch>) -> Vec<DefinitionMatch> {
    let can_be_called = |found: &DefinitionMatch| is_worth_asking(found.definition.definition.kind);
    let any_called = found.iter().any(can_be_called);
    let found: Vec<_> = found.into_iter().filter(|found| !any_called || can_be_called(found)).collect();
    let top = found.iter().map(|found| found.score).fold(0.0, f32::max);
    found.into_iter().filter(|found| found.score >= top).collect()
}

fn is_worth_asking(kind: DefinitionKind) -> bool {
    !matches!(kind, DefinitionKind::Section | DefinitionKind::Field)
}

fn is_like_path(target: &str) -> bool {
    let extension = file_name(target).rsplit_once('.').map(|(_, extension)| extension);
    target.contains('/')
        || extension.is_some_and(|extension| (1..=4).contains(&extension.len()) && is_lower(extension))
}

fn is_lower(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How far a path is from a wanted file name: the same name elsewhere, the same stem, a part of it.
fn difference(name: &str, stem: &str, path: &str) -> usize {
    let other = file_name(path).to_lowercase();
    let other_stem = other.split('.').next().unwrap_or(&other);
    if other == name {
        0
    } else if other_stem == stem {
        1
    } else if stem.len() > 2
        && (other_stem.contains(stem) || stem.contains(other_stem) && other_stem.len() > 2)
    {
        2 + other_stem.len().abs_diff(stem.len())
    } else {
        usize::MAX
    }
}
