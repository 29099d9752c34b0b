//! The request to update the index, and the report of an index run.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parsed::SkipReason;

/// How much of the project to bring up to date.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexRequest {
    /// Build a new index alongside the old one, then replace the old one.
    pub full: bool,
    /// Only these files or directories; empty for the whole project.
    pub paths: Vec<PathBuf>,
    /// Stop after stage one.
    pub stage_one_only: bool,
    /// A query is waiting for this run: read the history only for a moment, and let a later run complete it.
    #[serde(default)]
    pub query_waits: bool,
    /// Full text is enough: if a first run has much to read, it leaves definitions, references and imports to a later run. A
    /// file read this way counts as read.
    #[serde(default)]
    pub structure_later: bool,
}

impl IndexRequest {
    /// The update that a query about structure waits for: everything in each changed file.
    pub fn before_structure() -> Self {
        Self { stage_one_only: true, query_waits: true, ..Self::default() }
    }

    /// The update that a search waits for.
    pub fn before_search() -> Self {
        Self { structure_later: true, ..Self::before_structure() }
    }
}

/// What an index run would read and what it would skip. Nothing is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexPreview {
    pub files: Vec<PreviewFile>,
    pub skipped: Vec<PreviewSkip>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct PreviewFile {
    pub path: String,
    pub language: String,
    pub bytes: u64,
}

/// A file that is skipped, or a directory that is skipped with everything in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct PreviewSkip {
    pub path: String,
    pub reason: SkipReason,
}

/// What an index run did. The counts are correct even if the run was cancelled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IndexReport {
    /// Files in the index after the run.
    pub files: u64,
    /// Files that were read because they are new or have changed.
    pub files_changed: u64,
    /// How many of `files_changed` are new.
    #[serde(default)]
    pub files_added: u64,
    pub files_removed: u64,
    /// Chunks in the index after the run.
    pub chunks: u64,
    pub chunks_new: u64,
    pub chunks_unchanged: u64,
    /// Stage-two vectors computed by the provider in this run.
    pub embedded: u64,
    /// Stage-two vectors reused from the cache or from chunks with the same text.
    pub reused: u64,
    /// Chunks that still have no stage-two vector.
    pub pending: u64,
    pub skipped: Vec<SkippedCount>,
    pub failed: Vec<ChunkFailure>,
    /// Folders and files that could not be read. What the index already had of them was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreachable: Vec<String>,
    /// Notes for the user, as sentences.
    pub notes: Vec<String>,
    pub cancelled: bool,
    pub times: PhaseTimes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedCount {
    pub reason: SkipReason,
    pub count: u64,
}

/// A chunk that the provider rejected permanently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChunkFailure {
    pub path: String,
    pub start_line: u32,
    pub reason: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseTimes {
    pub discover_ms: f64,
    pub chunk_ms: f64,
    pub embed_ms: f64,
    pub total_ms: f64,
}
