//! Graph queries about code structure, from a request to a response.
//!
//! The edges between files are derived once for each version of the index ([`snapshot`]); those between symbols are
//! derived on request from facts that are read as needed ([`facts`]). [`target`] resolves the names in a request;
//! deriving the edges is left to `vectorcode-graph`.

mod call_sites;
mod changes;
mod edit;
mod facts;
mod folder;
mod implementations;
mod links;
mod lookup;
mod neighbours;
mod outline;
mod read_symbol;
mod references;
mod snapshot;
mod target;
mod tests_to_run;
mod uses;
mod written_name;

use vectorcode_core::CancelToken;
use vectorcode_core::api::{GraphQuery, GraphRequest, GraphResponse};
use vectorcode_graph::queries::{self, Direction, Extent};
use vectorcode_graph::{SymbolId, Symbols, collapse};
use vectorcode_source::Scope;
use vectorcode_store::IndexReader;

pub(crate) use self::changes::changes;
use self::facts::IndexFacts;
pub(crate) use self::folder::{Folder, FolderChild, list_folder, map};
pub(crate) use self::links::links;
pub(crate) use self::lookup::find_symbols;
pub(crate) use self::neighbours::add_neighbours;
pub(crate) use self::outline::{FoundPlace, Matching, outline};
pub(crate) use self::read_symbol::read;
pub(crate) use self::references::references;
pub(crate) use self::snapshot::{Snapshot, SnapshotCell};
use self::target::{FoundSymbols, Subject, Targets};
use self::uses::Scan;
use crate::error::EngineError;
use crate::project::{FileSource, Project};

/// Shown if no path is found. It is not proof that there is none: a call on a variable of unknown type has no edge.
const NO_PATH: &str = "No chain of resolved calls or imports leads there in this direction. There may be one \
through calls that cannot be resolved: on values without a declared type, or by name at run time.";

/// Everything that is needed to answer a structure request.
pub(crate) struct GraphContext<'a> {
    pub project: &'a Project,
    /// Where the project's files are read from.
    pub source: FileSource<'a>,
    pub reader: &'a dyn IndexReader,
    pub snapshot: &'a Snapshot,
    /// The rules for which files may be read, to show the lines around a use.
    pub scope: &'a Scope,
    pub cancel: &'a CancelToken,
}

pub(crate) fn run(context: &GraphContext<'_>, request: &GraphRequest) -> Result<GraphResponse, EngineError> {
    with_graph_queries(context, request.limit, |queries| queries.run(&request.query))
}

fn with_graph_queries<T>(
    context: &GraphContext<'_>,
    limit: usize,
    query: impl FnOnce(&GraphQueries<'_>) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let files = &context.snapshot.files;
    let facts = IndexFacts::new(context.reader, files.tree(), context.cancel);
    let symbols = Symbols::new(files, &facts);
    query(&GraphQueries { context, targets: Targets::new(context, &symbols), symbols: &symbols, limit })
}

struct GraphQueries<'a> {
    context: &'a GraphContext<'a>,
    targets: Targets<'a>,
    symbols: &'a Symbols<'a, IndexFacts<'a>>,
    limit: usize,
}

impl GraphQueries<'_> {
    fn run(&self, query: &GraphQuery) -> Result<GraphResponse, EngineError> {
        match query {
            GraphQuery::Deps { path, depth } => self.files_around(path, Direction::Forward, *depth),
            GraphQuery::Dependents { path, depth } => self.files_around(path, Direction::Backward, *depth),
            GraphQuery::Callers { symbol, depth } => self.symbols_around(symbol, Direction::Backward, *depth),
            GraphQuery::Callees { symbol, depth } => self.symbols_around(symbol, Direction::Forward, *depth),
            GraphQuery::Edit { symbol } => self.edit(symbol),
            GraphQuery::Implementations { symbol } => {
                implementations::implementations(self.context, &self.targets, self.symbols, symbol)
            }
            GraphQuery::Impact { target, depth } => self.impact(target, *depth),
            GraphQuery::Path { from, to } => self.path(from, to),
            GraphQuery::Cycles => Ok(queries::cycles(&self.context.snapshot.files, self.limit)),
            GraphQuery::Stats => {
                let snapshot = self.context.snapshot;
                Ok(queries::stats(&snapshot.files, |file| snapshot.is_code(file), self.limit))
            }
            GraphQuery::Show { target: None, .. } => {
                Ok(collapse(&queries::overview(&self.context.snapshot.files), self.limit))
            }
            GraphQuery::Show { target: Some(target), depth } => self.show(target, *depth),
        }
    }

    fn extent(&self, direction: Direction, depth: u32) -> Extent {
        Extent { direction, depth, limit: self.limit }
    }

    fn files_around(
        &self,
        path: &str,
        direction: Direction,
        depth: u32,
    ) -> Result<GraphResponse, EngineError> {
        let files = match self.targets.file(path) {
            Ok(file) => vec![file],
            Err(error) => self.targets.folder(path).ok_or(error)?,
        };
        Ok(queries::file_surroundings(&self.context.snapshot.files, &files, &self.extent(direction, depth)))
    }

    fn symbols_around(
        &self,
        name: &str,
        direction: Direction,
        depth: u32,
    ) -> Result<GraphResponse, EngineError> {
        let found = self.targets.symbols(name)?;
        let extent = self.extent(direction, depth);
        if direction == Direction::Backward {
            return self.callers(&found, &extent);
        }
        let files = &self.context.snapshot.files;
        let mut response = queries::symbol_surroundings(files, self.symbols, &found.ids, &extent)?;
        response.notes.extend(found.note());
        Ok(response)
    }

    /// All uses found in the text of the files, not only the calls, types and bases in the index.
    fn callers(&self, found: &FoundSymbols, extent: &Extent) -> Result<GraphResponse, EngineError> {
        let files = &self.context.snapshot.files;
        let (ids, family) = self.with_family(found)?;
        let scan = Scan::of(self.context, &found.bare_name)?;
        let facts = IndexFacts::new(self.context.reader, files.tree(), self.context.cancel);
        scan.put_into(&facts)?;
        let symbols = Symbols::new(files, &facts);
        let mut response = queries::symbol_surroundings(files, &symbols, &ids, extent)?;
        response.notes.extend(found.note());
        response.notes.extend(family);
        call_sites::add_uses(self.context, &symbols, &ids, &scan, &mut response)?;
        Ok(response)
    }

    /// The symbols together with the methods that they override and that override them: a call may reach any of
    /// these.
    fn with_family(&self, found: &FoundSymbols) -> Result<(Vec<SymbolId>, Option<String>), EngineError> {
        let mut ids = found.ids.clone();
        for id in &found.ids {
            for member in self.symbols.family(*id)? {
                if !ids.contains(&member) {
                    ids.push(member);
                }
            }
        }
        let note = (ids.len() > found.ids.len()).then(|| {
            let count = ids.len() - found.ids.len();
            format!(
                "{count} more methods override it or are overridden by it; `->` shows which one a use is resolved to. At run \
                 time a call through a base type may reach any of them."
            )
        });
        Ok((ids, note))
    }

    /// A note on how many uses of the name were left out because it has too many definitions.
    fn note_on_ambiguous(&self, name: &str) -> Result<Option<String>, EngineError> {
        let ambiguous = self.symbols.ambiguous(name)?;
        Ok((ambiguous > 0).then(|| {
            format!(
                "{ambiguous} more uses of `{name}` are left out: the name has too many definitions to tell which one is meant."
            )
        }))
    }

    fn impact(&self, target: &str, depth: u32) -> Result<GraphResponse, EngineError> {
        let extent = self.extent(Direction::Backward, depth);
        let files = &self.context.snapshot.files;
        match self.targets.any(target)? {
            Subject::File(file) => queries::file_impact(files, self.symbols, file, &extent),
            Subject::Symbols(found) => {
                let mut response = queries::symbol_impact(files, self.symbols, &found.ids, &extent)?;
                response.notes.extend(found.note());
                response.notes.extend(self.note_on_ambiguous(&found.bare_name)?);
                Ok(response)
            }
        }
    }

    /// A path between two symbols by calls; if one of them is a file, between files by imports.
    fn path(&self, from: &str, to: &str) -> Result<GraphResponse, EngineError> {
        let files = &self.context.snapshot.files;
        let (from, to) = (self.targets.any(from)?, self.targets.any(to)?);
        let mut response = match (&from, &to) {
            (Subject::Symbols(from), Subject::Symbols(to)) => {
                let mut response = queries::symbol_path(files, self.symbols, &from.ids, &to.ids)?;
                response.notes.extend([from.note(), to.note()].into_iter().flatten());
                response
            }
            _ => queries::file_path(files, from.file(), to.file()),
        };
        if response.nodes.is_empty() {
            // First, because it is the main result.
            response.notes.insert(0, NO_PATH.into());
        }
        Ok(response)
    }

    fn show(&self, target: &str, depth: u32) -> Result<GraphResponse, EngineError> {
        let extent = self.extent(Direction::Both, depth);
        let files = &self.context.snapshot.files;
        if let Some(folder) = self.targets.folder(target) {
            return Ok(queries::file_surroundings(files, &folder, &extent));
        }
        match self.targets.any(target)? {
            Subject::File(file) => Ok(queries::file_surroundings(files, &[file], &extent)),
            Subject::Symbols(_) => self.symbols_around(target, Direction::Both, depth),
        }
    }
}
