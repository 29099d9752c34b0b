//! Asking about structure: who imports whom, who calls whom, what a change reaches.

use serde::{Deserialize, Serialize};

use crate::parsed::DefinitionKind;

/// A question to the code graph. Files are named by their path, symbols by their bare or qualified name, where
/// `path#name` picks one of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "action")]
pub enum GraphQuery {
    /// What a file imports, up to `depth` steps away.
    Deps {
        path: String,
        depth: u32,
    },
    /// Who imports a file.
    Dependents {
        path: String,
        depth: u32,
    },
    Callers {
        symbol: String,
        depth: u32,
    },
    Callees {
        symbol: String,
        depth: u32,
    },
    /// Files, symbols and tests that a change of this file or symbol may reach, nearest first.
    Impact {
        target: String,
        depth: u32,
    },
    /// The shortest way from one file or symbol to another.
    Path {
        from: String,
        to: String,
    },
    /// Groups of files that import each other in a circle.
    Cycles,
    Stats,
    /// The surroundings of a file, or the whole project by folder.
    Show {
        path: Option<String>,
        depth: u32,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphRequest {
    pub query: GraphQuery,
    /// Most nodes in the answer; the rest is counted.
    pub limit: usize,
}

impl GraphRequest {
    pub const DEFAULT_LIMIT: usize = 60;
    pub const DEFAULT_DEPTH: u32 = 1;
    /// How far the effects of a change are followed.
    pub const IMPACT_DEPTH: u32 = 4;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    File,
    Symbol,
    /// A module that is not part of the project.
    External,
    /// Several files of one folder, shown as one.
    Folder,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphNode {
    /// The file's path, the symbol's qualified name, the module's name.
    pub name: String,
    pub kind: NodeKind,
    /// Where a symbol is defined.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definition: Option<DefinitionKind>,
    pub is_test: bool,
    /// Steps from what was asked about.
    pub distance: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeKind {
    Imports,
    Calls,
    Uses,
}

/// How an edge between symbols was found, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The statement names its target.
    Certain,
    /// The same file, an imported file or an evident receiver defines the name.
    Likely,
    /// The only definition of that name in the project.
    Possible,
    /// One of several definitions of that name.
    Guess,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// Indices into [`GraphResponse::nodes`].
    pub from: usize,
    pub to: usize,
    pub kind: EdgeKind,
    pub confidence: Confidence,
    /// The line of the first such statement in the file of `from`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphStats {
    pub files: u64,
    pub edges: u64,
    pub externals: u64,
    pub cycles: u64,
    /// Files with the most edges, with their number of imports and importers.
    pub most_connected: Vec<FileDegree>,
    /// Code files that import nothing of the project and that nobody imports.
    pub orphans: Vec<String>,
    pub edges_by_language: Vec<(String, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDegree {
    pub path: String,
    pub imports: u64,
    pub importers: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphResponse {
    /// What was asked about comes first; the others by distance, then by name.
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    /// Each a closed chain of indices into `nodes`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cycles: Vec<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stats: Option<GraphStats>,
    /// How many nodes the whole answer has.
    pub total: usize,
    pub truncated: bool,
    pub notes: Vec<String>,
}

/// Looks a symbol up by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolRequest {
    pub name: String,
    pub kind: Option<DefinitionKind>,
    pub path: Option<String>,
    pub limit: usize,
}

impl SymbolRequest {
    pub const DEFAULT_LIMIT: usize = 20;
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolResponse {
    pub symbols: Vec<SymbolHit>,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolHit {
    pub name: String,
    pub qualified: String,
    pub kind: DefinitionKind,
    pub signature: String,
    pub path: String,
    pub language: String,
    pub start_line: u32,
    pub end_line: u32,
    pub is_test: bool,
}
