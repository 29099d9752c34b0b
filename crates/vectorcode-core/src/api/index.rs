//! The request to update the index, and the report of what was done.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parsed::SkipReason;

/// How much of the project to bring up to date.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexRequest {
    /// Build a new index beside the old one, then replace it.
    pub full: bool,
    /// Only these files or directories; empty for the whole project.
    pub paths: Vec<PathBuf>,
    /// Stop after stage one.
    pub stage_one_only: bool,
    /// A query waits for this run: the repository's history is read for a moment only, and completed by a later run.
    #[serde(default)]
    pub query_waits: bool,
    /// Words are enough: where a first run finds much to read, it leaves definitions, references and imports to a later run,
    /// and a file that was read so counts as read.
    #[serde(default)]
    pub structure_later: bool,
}

impl IndexRequest {
    /// What a question about structure waits for: all of each changed file.
    pub fn before_structure() -> Self {
        Self { stage_one_only: true, query_waits: true, ..Self::default() }
    }

    /// What a search waits for.
    pub fn before_search() -> Self {
        Self { structure_later: true, ..Self::before_structure() }
    }
}

/// What an index run would read and leave out. Nothing is written.
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

/// A file that is left out, or a directory with all that is in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct PreviewSkip {
    pub path: String,
    pub reason: SkipReason,
}

/// What an index run did. Counts are correct even if the run was cancelled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IndexReport {
    /// Files in the index after the run.
    pub files: u64,
    /// Files that were read because they are new or differ from what the index had.
    pub files_changed: u64,
    /// Of these, files that the index did not have.
    #[serde(default)]
    pub files_added: u64,
    pub files_removed: u64,
    /// Chunks in the index after the run.
    pub chunks: u64,
    pub chunks_new: u64,
    pub chunks_unchanged: u64,
    /// Stage-two vectors computed by the provider in this run.
    pub embedded: u64,
    /// Stage-two vectors taken from the cache or from unchanged text.
    pub reused: u64,
    /// Chunks that still have no stage-two vector.
    pub pending: u64,
    pub skipped: Vec<SkippedCount>,
    pub failed: Vec<ChunkFailure>,
    /// Folders and files that could not be read although the index has something of them, which was kept.
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
