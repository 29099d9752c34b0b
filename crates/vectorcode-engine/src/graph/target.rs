//! Resolves a name in a request to a file, a folder, or the symbols with that name.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

use vectorcode_core::api::Confidence;
use vectorcode_core::{Definition, DefinitionKind, Location, PathFilter};
use vectorcode_graph::{FileId, SymbolId, Symbols, Tree};
use vectorcode_store::{ChunkFilter, DefinitionMatch, NameMatch};

use super::GraphContext;
use super::facts::IndexFacts;
use super::written_name::{WrittenName, is_below_package, is_of_package};
use crate::error::EngineError;
use crate::project::file::missing;
use crate::project::written_path::{by_ending, is_like_path, nearest};
use crate::search::PathKind;

/// How many definitions of one name are considered.
const MAX_SAME_NAME: usize = 200;
const NEAREST: usize = 5;

/// The symbols that a name refers to.
#[derive(Debug)]
pub(super) struct FoundSymbols {
    /// Most likely first.
    pub ids: Vec<SymbolId>,
    /// The name without its scopes.
    pub bare_name: String,
    /// The name as requested.
    wanted: String,
    /// For each symbol, a name or place that identifies it uniquely.
    handles: Vec<String>,
}

impl FoundSymbols {
    /// A note on how to pick one, if there are several.
    pub fn note(&self) -> Option<String> {
        self.note_that("the results are for all of them. To pick one", &self.handles)
    }

    /// Keeps only the first symbol, with a note on how to pick another.
    pub fn first(mut self) -> (Self, Option<String>) {
        let others = self.handles.get(1..).unwrap_or_default();
        let note = self.note_that("this is the most used one. Others", others);
        self.ids.truncate(1);
        self.handles.truncate(1);
        (self, note)
    }

    fn note_that(&self, what: &str, handles: &[String]) -> Option<String> {
        let (count, wanted) = (self.handles.len(), &self.wanted);
        let more = if handles.len() > NEAREST { ", ..." } else { "" };
        let named = handles[..handles.len().min(NEAREST)].join(", ");
        (count > 1).then(|| format!("{count} symbols are named `{wanted}`; {what}: {named}{more}"))
    }
}

#[derive(Debug)]
pub(super) enum Subject {
    File(FileId),
    Symbols(FoundSymbols),
}

impl Subject {
    /// The file, or the one that defines the first symbol.
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

    /// A file by its path, or by a unique path suffix.
    pub fn file(&self, path: &str) -> Result<FileId, EngineError> {
        let relative = self.relative(path);
        if let Some(file) = self.tree().get(&relative) {
            return Ok(file);
        }
        let found = by_ending(self.paths(), &relative)?.and_then(|path| self.tree().get(path));
        found.ok_or_else(|| {
            let nearest = nearest(self.paths(), &relative);
            missing(self.context.scope, relative, nearest)
        })
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        self.tree().iter().map(|(_, file)| file.path.as_str())
    }

    pub fn relative(&self, path: &str) -> String {
        let relative = self.context.project.relative(Path::new(path));
        relative.unwrap_or_else(|_| path.to_owned())
    }

    /// The files of a folder and below; `None` if there is no such folder.
    pub fn folder(&self, path: &str) -> Option<Vec<FileId>> {
        let folder = format!("{}/", self.relative(path).trim_end_matches('/'));
        let inside = |file: &str| folder == "/" || file.starts_with(&folder);
        let files: Vec<FileId> =
            self.tree().iter().filter(|(_, file)| inside(&file.path)).map(|(file, _)| file).collect();
        (!files.is_empty()).then_some(files)
    }

    /// A symbol in any of the accepted forms: `path#name`, `path:line`, `Type.method`, `package.function`, or a bare
    /// name.
    pub fn symbols(&self, name: &str) -> Result<FoundSymbols, EngineError> {
        if let Some(found) = self.symbol_at(name)? {
            return Ok(found);
        }
        let (filter, wanted) = self.file_and_name(name)?;
        let mut found = self.named(&wanted, &filter)?;
        if name.contains('#') {
            // `path#run` is the function at the top level of the file if there is one, not also every method of that
            // name.
            found = preferred(found, |found| found.definition.definition.qualified == wanted.qualified);
        }
        let Some(first) = found.first() else {
            return Err(EngineError::UnknownSymbol {
                name: name.into(),
                nearest: self.like_names(&wanted.qualified, &filter)?,
            });
        };
        let bare_name = first.definition.definition.name.clone();
        let mut ids = Vec::new();
        for definition in &found {
            let stored = &definition.definition;
            let Some(file) = self.tree().get(&stored.path) else { continue };
            ids.push(self.symbols.canonical(SymbolId { file, ordinal: stored.ordinal })?);
        }
        let ids = self.most_used_first(ids)?;
        let handles = self.handles(&ids)?;
        Ok(FoundSymbols { ids, bare_name, wanted: wanted.qualified, handles })
    }

    /// Splits at `#`: the part before it becomes a filter if it is a file. `Type#method` is only a name.
    fn file_and_name(&self, name: &str) -> Result<(ChunkFilter, WrittenName), EngineError> {
        let whole = || (ChunkFilter::default(), WrittenName::parse(name));
        let Some((path, wanted)) = name.split_once('#').filter(|(path, _)| !path.is_empty()) else {
            return Ok(whole());
        };
        match self.file(path) {
            Ok(file) => {
                let paths = PathFilter::prefix(self.tree().path(file));
                Ok((ChunkFilter { paths, ..ChunkFilter::default() }, WrittenName::parse(wanted)))
            }
            Err(error) if is_like_path(path) => Err(error),
            Err(_) => Ok(whole()),
        }
    }

    /// The definitions with a name. If none has the qualified name, its first parts are tried as a package and the
    /// rest as the name.
    fn named(&self, wanted: &WrittenName, filter: &ChunkFilter) -> Result<Vec<DefinitionMatch>, EngineError> {
        let exact = |name: &str| {
            self.context.reader.definitions(&NameMatch::Exact(name.to_owned()), filter, MAX_SAME_NAME)
        };
        let found = best(exact(&wanted.qualified)?);
        if !found.is_empty() || !wanted.qualified.contains('.') {
            return Ok(found);
        }
        let declared = self.declared_packages()?;
        for (package, name) in wanted.packages_and_names() {
            let is_inside = |found: &DefinitionMatch| {
                let path = found.definition.path.as_str();
                is_of_package(path, declared.get(path).map(String::as_str), package)
            };
            let inside: Vec<_> = exact(name)?.into_iter().filter(is_inside).collect();
            if !inside.is_empty() {
                return Ok(best(most_fitting(inside, package, name)));
            }
        }
        Ok(Vec::new())
    }

    /// The package that each file declares.
    fn declared_packages(&self) -> Result<HashMap<String, String>, EngineError> {
        let imports = self.context.reader.imports()?;
        let declared = imports.into_iter().filter(|(_, import)| import.kind == "package");
        Ok(declared.map(|(path, import)| (path, import.specifier)).collect())
    }

    /// The file and line of `path:line`; `None` if the text has another form. A text that looks like a file but is
    /// none is an error, because it is a misspelt path and not the name of a symbol.
    pub fn location(&self, text: &str) -> Result<Option<(FileId, Location)>, EngineError> {
        let Ok(location) = text.parse::<Location>() else { return Ok(None) };
        match self.file(&location.path) {
            Ok(file) => Ok(Some((file, location))),
            Err(error) if is_like_path(&location.path) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// The innermost definition around the line of `path:line`; `None` if the text has another form.
    fn symbol_at(&self, text: &str) -> Result<Option<FoundSymbols>, EngineError> {
        let Some((file, location)) = self.location(text)? else { return Ok(None) };
        let line = location.start_line;
        let around =
            |definition: &Definition| is_worth_asking(definition.kind) && definition.span.holds_line(line);
        let definitions = self.context.reader.definitions_of(self.tree().path(file))?;
        let innermost = definitions
            .iter()
            .filter(|stored| around(&stored.definition))
            .min_by_key(|stored| stored.definition.span.end_line - stored.definition.span.start_line);
        let Some(stored) = innermost else {
            return Err(EngineError::NoSuchLocation { path: self.tree().path(file).to_owned(), line });
        };
        let id = self.symbols.canonical(SymbolId { file, ordinal: stored.ordinal })?;
        let bare_name = stored.definition.name.clone();
        Ok(Some(FoundSymbols {
            ids: vec![id],
            bare_name,
            wanted: text.to_owned(),
            handles: vec![text.to_owned()],
        }))
    }

    /// Removes duplicates and sorts: source first, then declarations and examples, then tests; within each, most
    /// callers first.
    fn most_used_first(&self, mut ids: Vec<SymbolId>) -> Result<Vec<SymbolId>, EngineError> {
        ids.sort_unstable();
        ids.dedup();
        if ids.len() < 2 {
            return Ok(ids);
        }
        let mut ranked = Vec::new();
        for id in ids {
            let callers = self.symbols.callers(id)?;
            let sure = callers.iter().filter(|edge| edge.confidence < Confidence::Guess).count();
            ranked.push((self.remoteness(id)?, Reverse(sure), id));
        }
        ranked.sort_unstable();
        Ok(ranked.into_iter().map(|(.., id)| id).collect())
    }

    /// How unlikely a user is to mean the code of this definition.
    fn remoteness(&self, id: SymbolId) -> Result<u8, EngineError> {
        let kind = PathKind::of(self.tree().path(id.file));
        let is_test = self.tree().file(id.file).is_test
            || kind.test
            || self.symbols.defined(id)?.is_some_and(|defined| defined.is_test);
        Ok(if is_test { 2 } else { u8::from(kind.example || kind.foreign || kind.declarations) })
    }

    /// `path#name` for each, or its line if the file has the name twice.
    fn handles(&self, ids: &[SymbolId]) -> Result<Vec<String>, EngineError> {
        let mut handles = Vec::new();
        for id in ids {
            if let Some(defined) = self.symbols.defined(*id)? {
                let (path, definition) = (self.tree().path(id.file), &defined.definition);
                let by_line = format!("{path}:{}", definition.name_line);
                handles.push((format!("{path}#{}", definition.qualified), by_line));
            }
        }
        let is_only = |name: &String| handles.iter().filter(|(other, _)| other == name).count() == 1;
        let handle =
            |(name, line): &(String, String)| if is_only(name) { name.clone() } else { line.clone() };
        Ok(handles.iter().map(handle).collect())
    }

    /// A file if there is one with that path, otherwise a symbol. `TypeToken.get` looks like a file name but is a
    /// symbol.
    pub fn any(&self, target: &str) -> Result<Subject, EngineError> {
        let not_found = match self.file(target) {
            Ok(file) => return Ok(Subject::File(file)),
            Err(error) => error,
        };
        match self.symbols(target) {
            Ok(found) => Ok(Subject::Symbols(found)),
            // A line outside all definitions stands for its file.
            Err(EngineError::NoSuchLocation { path, .. }) => self.file(&path).map(Subject::File),
            Err(EngineError::UnknownSymbol { .. }) if is_like_path(target) && !target.contains('#') => {
                Err(not_found)
            }
            Err(error) => Err(error),
        }
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

/// Among the definitions in a package, prefers those at its top level: `gin.New` is the function, not a method of one
/// of its types. Among those, prefers paths that contain all parts of the package.
fn most_fitting(inside: Vec<DefinitionMatch>, package: &str, name: &str) -> Vec<DefinitionMatch> {
    let is_top = |found: &DefinitionMatch| found.definition.definition.qualified == name;
    let is_below = |found: &DefinitionMatch| is_below_package(&found.definition.path, package);
    let inside = preferred(inside, is_top);
    preferred(inside, is_below)
}

/// The elements for which it holds, or all if it holds for none.
fn preferred<T>(all: Vec<T>, holds: impl Fn(&T) -> bool) -> Vec<T> {
    let any = all.iter().any(&holds);
    all.into_iter().filter(|one| !any || holds(one)).collect()
}

/// The best matches, without fields and headings if there is anything else.
fn best(found: Vec<DefinitionMatch>) -> Vec<DefinitionMatch> {
    let can_be_called = |found: &DefinitionMatch| is_worth_asking(found.definition.definition.kind);
    let found = preferred(found, can_be_called);
    let top = found.iter().map(|found| found.score).fold(0.0, f32::max);
    found.into_iter().filter(|found| found.score >= top).collect()
}

fn is_worth_asking(kind: DefinitionKind) -> bool {
    !matches!(kind, DefinitionKind::Section | DefinitionKind::Field)
}
