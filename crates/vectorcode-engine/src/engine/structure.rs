//! Requests about structure: imports, calls, definitions by name, and code with its context.

use vectorcode_core::api::{
    ChangesRequest, ChangesResponse, GraphRequest, GraphResponse, Hit, MapRequest, OutlineRequest,
    OutlineResponse, ReadRequest, ReadResponse, ReferencesRequest, ReferencesResponse, SearchRequest,
    SymbolRequest, SymbolResponse,
};
use vectorcode_core::{CancelToken, ProgressSink};

use super::Engine;
use crate::error::EngineError;
use crate::graph::{self, FoundPlace, GraphContext, Matching};

/// How many symbols outside a path filter are named if it contains none.
const SYMBOLS_ELSEWHERE: usize = 3;
/// How many matches of a query an outline shows.
const OUTLINE_MATCHES: usize = 6;

impl Engine {
    /// Who imports whom, who calls whom, what a change affects.
    pub fn graph(&self, request: &GraphRequest) -> Result<GraphResponse, EngineError> {
        self.graph_until(request, &CancelToken::default())
    }

    /// Like [`Self::graph`], but can be cancelled.
    pub fn graph_until(
        &self,
        request: &GraphRequest,
        cancel: &CancelToken,
    ) -> Result<GraphResponse, EngineError> {
        let mut response =
            self.with_structure(|| self.with_graph_until(cancel, |context| graph::run(context, request)))?;
        response.notes.extend(self.notes_on_structure());
        Ok(response)
    }

    /// The imports within the project or a folder, as a map of few nodes.
    pub fn map(&self, request: &MapRequest) -> Result<GraphResponse, EngineError> {
        let mut response = self.with_structure(|| self.with_graph(|context| graph::map(context, request)))?;
        response.notes.extend(self.notes_on_structure());
        Ok(response)
    }

    /// Who uses a symbol or a file, and what it uses, with the lines that show it.
    pub fn references(&self, request: &ReferencesRequest) -> Result<ReferencesResponse, EngineError> {
        let mut response =
            self.with_structure(|| self.with_graph(|context| graph::references(context, request)))?;
        response.notes.extend(self.notes_on_structure());
        Ok(response)
    }

    /// What a change in the working tree, or a commit, touches: symbols, their callers and tests. For a commit, the
    /// callers are those as of that commit.
    pub fn changes(
        &self,
        request: &ChangesRequest,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<ChangesResponse, EngineError> {
        match request.commit.as_deref().filter(|_| self.commit().is_none()) {
            Some(commit) => self.at(commit, sink, cancel)?.changes_here(request),
            None => self.changes_here(request),
        }
    }

    fn changes_here(&self, request: &ChangesRequest) -> Result<ChangesResponse, EngineError> {
        let mut response =
            self.with_structure(|| self.with_graph(|context| graph::changes(context, request)))?;
        response.notes.extend(self.notes_on_structure());
        Ok(response)
    }

    /// Looks up definitions by name.
    pub fn symbols(&self, request: &SymbolRequest) -> Result<SymbolResponse, EngineError> {
        let request = SymbolRequest { paths: self.path_patterns(&request.paths)?, ..request.clone() };
        let mut response = self.with_structure(|| graph::find_symbols(&*self.reader()?, &request))?;
        if response.symbols.is_empty() && !request.paths.is_empty() {
            response.notes.extend(self.why_not_in_paths(&request)?);
        }
        response.notes.extend(self.notes_on_structure());
        Ok(response)
    }

    /// A note that no file matches the paths of a request, or where else the symbol is defined.
    fn why_not_in_paths(&self, request: &SymbolRequest) -> Result<Option<String>, EngineError> {
        if let Some(note) = self.note_on_paths(&request.paths)? {
            return Ok(Some(note));
        }
        let everywhere = SymbolRequest { paths: Vec::new(), limit: SYMBOLS_ELSEWHERE, ..request.clone() };
        let found = graph::find_symbols(&*self.reader()?, &everywhere)?.symbols;
        let places: Vec<String> =
            found.iter().map(|hit| format!("{} {}:{}", hit.qualified, hit.path, hit.start_line)).collect();
        Ok((!places.is_empty()).then(|| format!("Elsewhere: {}", places.join(", "))))
    }

    /// One definition, or a range of lines, with its callers and the tests that reach it.
    pub fn read(&self, request: &ReadRequest, cancel: &CancelToken) -> Result<ReadResponse, EngineError> {
        let mut response =
            self.with_structure(|| self.with_graph_until(cancel, |context| graph::read(context, request)))?;
        response.notes.extend(self.notes_on_structure());
        Ok(response)
    }

    /// The definitions of a file, all or those that match a query, or the map of a folder.
    pub fn outline(&self, request: &OutlineRequest) -> Result<OutlineResponse, EngineError> {
        let matching = self.matching(request)?;
        let mut response =
            self.with_structure(|| self.with_graph(|context| graph::outline(context, request, &matching)))?;
        response.add_notes(self.notes_on_structure());
        Ok(response)
    }

    fn matching(&self, request: &OutlineRequest) -> Result<Matching, EngineError> {
        let Some(query) = &request.query else { return Ok(Matching::All) };
        let search = SearchRequest {
            paths: vec![request.path.clone()],
            limit: OUTLINE_MATCHES,
            threshold: None,
            ..SearchRequest::query(query.as_str())
        };
        let place =
            |hit: Hit| FoundPlace { symbol: hit.symbol, start_line: hit.start_line, end_line: hit.end_line };
        let hits = self.search(&search)?.hits;
        // If none is likely, the best one is better than nothing.
        let likely = hits.iter().filter(|hit| !hit.weak).count().max(1);
        let places = hits.into_iter().take(likely).map(place).collect();
        Ok(Matching::Found { query: query.clone(), places })
    }

    pub(super) fn with_graph<T>(
        &self,
        ask: impl FnOnce(&GraphContext<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.with_graph_until(&CancelToken::default(), ask)
    }

    fn with_graph_until<T>(
        &self,
        cancel: &CancelToken,
        ask: impl FnOnce(&GraphContext<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let (reader, scope) = (self.reader()?, self.scope()?);
        let (project, source) = (&self.project, self.file_source());
        let snapshot = self.graph.current(source, &*reader)?;
        ask(&GraphContext { project, source, reader: &*reader, snapshot: &snapshot, scope: &scope, cancel })
    }
}
