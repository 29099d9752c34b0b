//! Requests and responses. The command line, MCP, REST and the web page all build these requests and render these responses.
//! A request never says how its response is displayed.

mod changes;
mod context;
mod edit;
mod exact;
mod file;
mod graph;
mod history;
mod index;
mod overview;
mod projects;
mod reading;
mod references;
mod search;
mod status;
mod usage;

pub use changes::{ChangeKind, ChangedSymbol, ChangesRequest, ChangesResponse, FileChange};
pub use context::{ArtifactFilter, ArtifactState, ArtifactStatus, ContextAction, ContextResponse};
pub use edit::{AffectedSymbol, EditContext};
pub use exact::{ExactFile, ExactLine, ExactRequest, ExactResponse, PatternSyntax};
pub use file::{FileDefinition, FileLinks, FileRequest, FileResponse, LinkTarget, LinkedName};
pub use graph::{
    Confidence, EdgeKind, FileDegree, FileLines, GraphAction, GraphEdge, GraphFormat, GraphNode, GraphQuery,
    GraphRequest, GraphResponse, GraphStats, Impact, MapRequest, NodeKind, OtherLines, SymbolHit,
    SymbolRequest, SymbolResponse, UseSite,
};
pub use history::{BranchesResponse, CommitHit, HistoryRequest, HistoryResponse};
pub use index::{
    ChunkFailure, IndexPreview, IndexReport, IndexRequest, PhaseTimes, PreviewFile, PreviewSkip, SkippedCount,
};
pub use overview::{
    EntryKind, EntryPoint, EntryReason, FolderEntry, FolderRequest, FolderResponse, HotFile, LanguageSize,
    OverviewRequest, OverviewResponse, ProjectPart, ReadmeSummary,
};
pub use projects::{ProjectFilter, ProjectSelection, ProjectState, ProjectSummary, ProjectsResponse};
pub use reading::{OutlineEntry, OutlineRequest, OutlineResponse, ReadRequest, ReadResponse};
pub use references::{ReferenceSite, ReferencesRequest, ReferencesResponse};
pub use search::{
    ClassFilter, Cursor, CursorError, Freshness, Hit, InDiff, LIKELY_SCORE, LinePatterns, Neighbour,
    Neighbours, RankingId, SearchMode, SearchRequest, SearchResponse, SearchTarget, Signal, TestFilter,
    UNRELATED_HIT_LIMIT, UNRELATED_SCORE,
};
pub use status::{Activity, Coverage, PendingFile, SpecialFiles, StatusResponse};
pub use usage::{ToolUsage, UsageResponse};
