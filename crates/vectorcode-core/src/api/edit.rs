//! What an edit of a symbol needs beside its uses: its code, and the tests to run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The code of a symbol that is to be edited, and what tells whether the edit is right. Its uses are edges of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EditContext {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The text of these lines, with the comment above the definition.
    pub content: String,
    /// Tests from which a chain of calls leads to it, nearest first.
    pub tests: Vec<AffectedSymbol>,
    /// Files of tests that load the file, by imports alone, nearest first.
    pub test_files: Vec<String>,
}

/// Code that uses what changed, directly or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AffectedSymbol {
    /// Its qualified name, or the path of a file for code at its top level.
    pub name: String,
    pub path: String,
    pub line: Option<u32>,
    /// Number of edges from what changed.
    pub distance: u32,
}
