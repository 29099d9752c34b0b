//! Questions about structure: imports, calls, and definitions by name.

use vectorcode_core::api::{GraphRequest, GraphResponse, SymbolRequest, SymbolResponse};

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

    /// Looks definitions up by name.
    pub fn symbols(&self, request: &SymbolRequest) -> Result<SymbolResponse, EngineError> {
        Ok(self.repairing(|| graph::find_symbols(&*self.reader()?, request))?.0)
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
