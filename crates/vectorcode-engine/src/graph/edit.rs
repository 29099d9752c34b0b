//! Everything needed to edit a symbol in one response: its code, every use, the methods of its family, and the tests
//! to run.

use vectorcode_core::api::{EditContext, GraphRequest, GraphResponse};
use vectorcode_graph::queries::{self, Direction, Extent};

use super::GraphQueries;
use super::read_symbol::DefinitionReader;
use super::target::Targets;
use super::tests_to_run::{test_files, tests_to_run};
use crate::error::EngineError;

impl GraphQueries<'_> {
    /// If several symbols have the name, only the first is used: an edit concerns one symbol.
    pub(super) fn edit(&self, name: &str) -> Result<GraphResponse, EngineError> {
        let (found, note) = self.targets.symbols(name)?.first();
        let extent = self.extent(Direction::Backward, GraphRequest::DEFAULT_DEPTH);
        let mut response = self.callers(&found, &extent)?;
        response.notes.splice(0..0, note);
        let targets = Targets::new(self.context, self.symbols);
        let reader = DefinitionReader { context: self.context, targets, symbols: self.symbols };
        let code = reader.code(&found)?;
        let files = &self.context.snapshot.files;
        let extent =
            Extent { direction: Direction::Backward, depth: GraphRequest::IMPACT_DEPTH, limit: usize::MAX };
        let reached = queries::symbol_surroundings(files, self.symbols, &found.ids, &extent)?;
        let tests = tests_to_run(self.context, &reached)?;
        response.edit = Some(EditContext {
            path: code.path,
            start_line: code.start_line,
            end_line: code.end_line,
            content: code.content,
            tests: tests.into_iter().filter(|test| test.distance > 0).collect(),
            test_files: test_files(self.context, found.ids.iter().map(|id| id.file), &reached)?,
        });
        Ok(response)
    }
}
