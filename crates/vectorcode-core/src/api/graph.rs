//! Requests to the code graph (imports, calls, impact of a change) and symbol lookup by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edit::EditContext;
use crate::choices;
use crate::parsed::{DefinitionKind, ReferenceKind};

/// A query of the code graph. Files are given by path, symbols by bare or qualified name; `path#name` picks one of several
/// symbols of the same name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "action")]
pub enum GraphQuery {
    /// What a file imports, up to `depth` steps away.
    Deps {
        path: String,
        depth: u32,
    },
    /// Files that import a file.
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
    /// What you need to edit a symbol: its code, all uses, the methods that override it or that it overrides, the tests to
    /// run.
    Edit {
        symbol: String,
    },
    /// Types that implement an interface or trait or extend a class; methods that implement a method.
    Implementations {
        symbol: String,
    },
    /// Files, symbols and tests that a change of this file or symbol may affect, nearest first.
    Impact {
        target: String,
        depth: u32,
    },
    /// The shortest path between two files or symbols.
    Path {
        from: String,
        to: String,
    },
    /// Groups of files that import each other in a cycle.
    Cycles,
    Stats,
    /// The neighbourhood of a file, folder or symbol, or the whole project by folder.
    Show {
        target: Option<String>,
        depth: u32,
    },
}

choices! {
    /// The name of each [`GraphQuery`].
    pub enum GraphAction: "graph action" {
        Deps = "deps", "Files that a file or folder imports";
        Dependents = "dependents", "Files that import a file or folder";
        Callers = "callers", "Code that calls or uses a symbol";
        Callees = "callees", "Symbols that a symbol calls";
        Edit = "edit", "What an edit of a symbol needs: its code, all uses, overrides, and tests to run";
        Implementations = "implementations", "Types that implement an interface or extend a class";
        Impact = "impact", "Files, symbols and tests that a change may affect";
        Path = "path", "The shortest path from one file or symbol to another";
        Cycles = "cycles", "Files that import each other in a cycle";
        Stats = "stats", "Statistics of the whole graph";
        Show = "show", "The neighbourhood of a file, folder or symbol, or the whole project by folder";
    }
}

impl GraphQuery {
    pub fn action(&self) -> GraphAction {
        match self {
            Self::Deps { .. } => GraphAction::Deps,
            Self::Dependents { .. } => GraphAction::Dependents,
            Self::Callers { .. } => GraphAction::Callers,
            Self::Callees { .. } => GraphAction::Callees,
            Self::Edit { .. } => GraphAction::Edit,
            Self::Implementations { .. } => GraphAction::Implementations,
            Self::Impact { .. } => GraphAction::Impact,
            Self::Path { .. } => GraphAction::Path,
            Self::Cycles => GraphAction::Cycles,
            Self::Stats => GraphAction::Stats,
            Self::Show { .. } => GraphAction::Show,
        }
    }
}

impl GraphAction {
    /// How many edges are followed if the caller does not say.
    pub fn default_depth(self) -> u32 {
        if self == Self::Impact { GraphRequest::IMPACT_DEPTH } else { GraphRequest::DEFAULT_DEPTH }
    }
}

choices! {
    /// The output format of a graph. Diagrams collapse a folder into one node if its files would be too many to read.
    #[derive(Default)]
    pub enum GraphFormat: "graph format" {
        #[default]
        Text = "text", "Plain text";
        Mermaid = "mermaid", "A flowchart for Markdown";
        Dot = "dot", "A diagram for Graphviz";
        Json = "json", "Nodes and edges as JSON";
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphRequest {
    pub query: GraphQuery,
    /// Maximum number of nodes in the response; the rest are only counted.
    pub limit: usize,
}

impl GraphRequest {
    pub const DEFAULT_LIMIT: usize = 60;
    pub const DEFAULT_DEPTH: u32 = 1;
    /// How many edges are followed to find what a change affects.
    pub const IMPACT_DEPTH: u32 = 4;
    /// A diagram is built from at most this many nodes; then files are collapsed into their folders until it fits the limit.
    pub const DIAGRAM_NODES: usize = 5000;
}

/// A map of the imports within a folder. Large folders are expanded as far as the limit allows; each of the others is one
/// node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapRequest {
    /// Relative to the project root; the whole project when absent.
    pub folder: Option<String>,
    /// Maximum number of nodes inside the folder; a third as many are added for what is outside.
    pub limit: usize,
}

impl MapRequest {
    pub const DEFAULT_LIMIT: usize = 24;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    File,
    Symbol,
    /// An external package.
    External,
    /// Several files of one folder, shown as one.
    Folder,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphNode {
    /// The path of a file, the qualified name of a symbol, or the name of an external module.
    pub name: String,
    pub kind: NodeKind,
    /// Where a symbol is defined.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definition: Option<DefinitionKind>,
    /// The language of the file, or of the file that defines the symbol.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub language: Option<String>,
    /// How many files a folder node represents.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub files: Option<u32>,
    pub is_test: bool,
    /// Number of edges from the target of the query.
    pub distance: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EdgeKind {
    Imports,
    /// Re-exports what another file exports: `export … from`, `@forward`.
    Reexports,
    /// Imports at run time: `import("./page")`.
    Dynamic,
    Calls,
    Uses,
    /// A type implements or extends another, or a method implements or overrides one of a supertype.
    Implements,
}

impl EdgeKind {
    /// A label for the kinds of edges that a reader would not expect.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Self::Imports | Self::Calls | Self::Implements => None,
            Self::Reexports => Some("re-export"),
            Self::Dynamic => Some("dynamic"),
            Self::Uses => Some("uses"),
        }
    }
}

/// How certain an edge is, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Resolved by the scope and import rules of the language.
    Certain,
    /// The receiver's declared type, a base class, an included file or the same package defines the name.
    Likely,
    /// The only visible definition that fits; the type of the receiver is not known.
    Possible,
    /// One of several definitions of that name, or one that the file does not import.
    Guess,
}

impl Confidence {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Possible => "possible",
            Self::Guess => "guess",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphEdge {
    /// Indices into [`GraphResponse::nodes`].
    pub from: usize,
    pub to: usize,
    pub kind: EdgeKind,
    pub confidence: Confidence,
    /// The line of the first such use in the file of `from`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// All uses, sorted by line. Only filled for edges of the query's target.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub uses: Vec<UseSite>,
    /// The number of edges between files that an edge between folders represents; otherwise 1.
    pub count: u32,
}

/// A line of code that uses a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct UseSite {
    pub line: u32,
    pub kind: ReferenceKind,
    pub confidence: Confidence,
}

/// The lines that contain a name but are not known to be uses of it: what a response about its uses leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherLines {
    pub name: String,
    /// Import statements.
    pub imports: Vec<FileLines>,
    /// Code in which no rule resolves the name, or only to one of too many definitions.
    pub unresolved: Vec<FileLines>,
    /// Comments, strings, documents, and code in languages that are not parsed.
    pub text: Vec<FileLines>,
    /// Lines that certainly refer to another definition of the same name.
    pub elsewhere: u64,
    /// False if the time limit was reached before all files were searched.
    pub complete: bool,
}

/// Lines of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileLines {
    pub path: String,
    pub lines: Vec<u32>,
}

impl OtherLines {
    /// Whether the search is complete and found no other line with the name.
    pub fn is_none(&self) -> bool {
        self.complete
            && self.imports.is_empty()
            && self.unresolved.is_empty()
            && self.text.is_empty()
            && self.elsewhere == 0
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphStats {
    /// Number of code files.
    pub files: u64,
    /// Number of edges between files.
    pub edges: u64,
    /// Average number of project files that a code file imports, rounded to two decimals.
    #[serde(default)]
    pub average_imports: f64,
    /// Number of external packages.
    pub externals: u64,
    pub cycles: u64,
    /// External packages and the number of files that import each, most imported first.
    pub most_imported: Vec<(String, u64)>,
    /// Files with the most edges, and their numbers of imports and importers.
    pub most_connected: Vec<FileDegree>,
    /// Code files that import no file of the project and are imported by none.
    pub orphans: Vec<String>,
    pub edges_by_language: Vec<(String, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileDegree {
    pub path: String,
    pub imports: u64,
    pub importers: u64,
}

/// How much a change affects, counted over the whole result, listed or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Impact {
    pub files: u64,
    pub symbols: u64,
    /// How many of `files` contain affected tests.
    pub tests: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphResponse {
    /// The target of the query comes first; the others are sorted by distance, then by name.
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    /// Each cycle is a closed chain of indices into `nodes`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cycles: Vec<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stats: Option<GraphStats>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub impact: Option<Impact>,
    /// Only for `edit`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub edit: Option<EditContext>,
    /// Only for `callers` and `edit`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub other_lines: Option<OtherLines>,
    /// How many nodes the whole result has.
    pub total: usize,
    pub truncated: bool,
    pub notes: Vec<String>,
}

/// Looks up a symbol by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolRequest {
    pub name: String,
    /// Empty: all kinds.
    pub kinds: Vec<DefinitionKind>,
    /// As in [`super::SearchRequest`].
    pub paths: Vec<String>,
    pub limit: usize,
}

impl SymbolRequest {
    pub const DEFAULT_LIMIT: usize = 20;
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolResponse {
    pub symbols: Vec<SymbolHit>,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
