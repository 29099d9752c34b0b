//! Questions about structure: imports, calls, and definitions by name.

use vectorcode_core::api::{
    ChangesRequest, ChangesResponse, GraphRequest, GraphResponse, MapRequest, ReferencesRequest,
    ReferencesResponse, SymbolRequest, SymbolResponse,
};

use super::Engine;
use crate::EngineError;
use crate::graph::{self, GraphContext};

impl Engine {
    /// Who imports whom, who calls whom, what a change affects.
    pub fn graph(&self, request: &GraphRequest) -> Result<GraphResponse, EngineError> {
        let (mut response, repaired) =
            self.repairing(|| self.with_graph(|context| graph::answer(context, request)))?;
        response.notes.extend(repaired);
        response.notes.extend(self.notes());
        Ok(response)
    }

    /// The imports within the project or a folder, as a map of few nodes.
    pub fn map(&self, request: &MapRequest) -> Result<GraphResponse, EngineError> {
        let (mut response, repaired) =
            self.repairing(|| self.with_graph(|context| graph::map(context, request)))?;
        response.notes.extend(repaired);
        response.notes.extend(self.notes());
        Ok(response)
    }

    /// Who uses a symbol or a file, and what it uses, with the lines that show it.
    pub fn references(&self, request: &ReferencesRequest) -> Result<ReferencesResponse, EngineError> {
        let (mut response, repaired) =
            self.repairing(|| self.with_graph(|context| graph::references(context, request)))?;
        response.notes.extend(repaired);
        response.notes.extend(self.notes());
        Ok(response)
    }

    /// What a change of the working tree, or a commit, touches: symbols, their users, tests.
    pub fn changes(&self, request: &ChangesRequest) -> Result<ChangesResponse, EngineError> {
        let (mut response, repaired) =
            self.repairing(|| self.with_graph(|context| graph::changes(context, request)))?;
        response.notes.extend(repaired);
        response.notes.extend(self.notes());
        Ok(response)
    }

    /// Looks definitions up by name.
    pub fn symbols(&self, request: &SymbolRequest) -> Result<SymbolResponse, EngineError> {
        let paths = request.paths.iter().map(|path| self.project.relative_pattern(path)).collect();
        let request = SymbolRequest { paths, ..request.clone() };
        let (mut response, repaired) = self.repairing(|| graph::find_symbols(&*self.reader()?, &request))?;
        response.notes.extend(repaired.into_iter().chain(self.notes()));
        Ok(response)
    }

    pub(super) fn with_graph<T>(
        &self,
        ask: impl FnOnce(&GraphContext<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let reader = self.reader()?;
        let snapshot = self.graph.current(&self.project, &*reader)?;
        ask(&GraphContext { project: &self.project, reader: &*reader, snapshot: &snapshot })
    }
}
