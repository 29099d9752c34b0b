//! The users of a symbol or file and what it uses itself, each with the line of source that shows it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::graph::{Confidence, EdgeKind, NodeKind, SymbolHit};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferencesRequest {
    /// A symbol (`name`, `path#name`), or a file given by its path.
    pub target: String,
    /// If the target is a file: the innermost definition around this line, if there is one.
    pub line: Option<u32>,
    /// Maximum length of each list.
    pub limit: usize,
}

impl ReferencesRequest {
    pub const DEFAULT_LIMIT: usize = 100;
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReferencesResponse {
    /// `path#name` if the target is one symbol; otherwise the target as given.
    pub target: String,
    /// The definitions of the symbol; empty for a file.
    pub definitions: Vec<SymbolHit>,
    /// Callers and other users of the symbol, or files that import the file.
    pub incoming: Vec<ReferenceSite>,
    pub incoming_total: usize,
    /// What the symbol calls, or the files that the file imports.
    pub outgoing: Vec<ReferenceSite>,
    pub outgoing_total: usize,
    pub notes: Vec<String>,
}

/// The other end of an edge of the code graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceSite {
    /// The qualified name of a symbol, the path of a file, or the name of an external package.
    pub name: String,
    pub node: NodeKind,
    pub kind: EdgeKind,
    pub confidence: Confidence,
    /// Where to look: the line of the use for an incoming edge, the definition for an outgoing edge. The path is empty for an
    /// external package.
    pub path: String,
    pub line: u32,
    /// The text of that line, without its indentation.
    pub text: String,
    pub is_test: bool,
}
