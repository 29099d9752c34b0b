//! The parts of an `edit` response that are not graph edges: the code of the symbol and the tests to run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The code of a symbol that is about to be edited, and the tests that check the edit. The uses of the symbol are graph
/// edges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EditContext {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The text of these lines, including the comment above the definition.
    pub content: String,
    /// Tests that reach the symbol through a chain of calls, nearest first.
    pub tests: Vec<AffectedSymbol>,
    /// Test files that load the symbol's file through imports only, nearest first.
    pub test_files: Vec<String>,
}

/// Code that uses a changed symbol, directly or through other code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AffectedSymbol {
    /// Its qualified name, or the path of a file for code at its top level.
    pub name: String,
    pub path: String,
    pub line: Option<u32>,
    /// Number of edges between this symbol and the changed one.
    pub distance: u32,
}
