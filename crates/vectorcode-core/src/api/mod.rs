//! The one vocabulary of all faces: command line, MCP, REST and the web page build these requests and render
//! these answers. How an answer looks is never part of a request.

mod file;
mod graph;
mod index;
mod search;
mod status;

pub use file::{FileDefinition, FileRequest, FileResponse};
pub use graph::{
    Confidence, EdgeKind, FileDegree, GraphEdge, GraphNode, GraphQuery, GraphRequest, GraphResponse,
    GraphStats, NodeKind, SymbolHit, SymbolRequest, SymbolResponse,
};
pub use index::{ChunkFailure, IndexReport, IndexRequest, PhaseTimes, SkippedCount};
pub use search::{
    ClassFilter, Cursor, Freshness, Hit, SearchMode, SearchRequest, SearchResponse, SearchTarget, Signal,
    TestFilter,
};
pub use status::{Activity, Coverage, PendingFile, StatusResponse};
