//! Progress events of long operations. Callers decide how to display them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The phases of an index run, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Phase {
    /// Walking the tree and comparing it with the index.
    #[serde(rename = "discovering files")]
    Discover,
    /// Stage one: reading, chunking and writing text, symbols and static vectors.
    #[serde(rename = "chunking")]
    Chunk,
    /// Stage two: vectors of the configured provider.
    #[serde(rename = "embedding")]
    Embed,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The same name as in JSON.
        self.serialize(f)
    }
}

/// How far an index run has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub phase: Phase,
    /// Number of files during `Discover` and `Chunk`, of chunks during `Embed`.
    pub done: u64,
    /// Zero if not known yet.
    pub total: u64,
    /// Bytes of source files read so far.
    pub bytes: u64,
    /// The resulting chunks; set at the end of `Chunk`.
    pub chunks: Option<ChunkCounts>,
    pub elapsed: Duration,
}

/// The number of chunks in the index after stage one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkCounts {
    pub new: u64,
    pub unchanged: u64,
}

impl Progress {
    /// Items per second since the start of the phase.
    pub fn rate(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.done as f64 / seconds } else { 0.0 }
    }

    pub fn percent(&self) -> f64 {
        if self.total == 0 { 0.0 } else { 100.0 * self.done as f64 / self.total as f64 }
    }
}

/// Receives progress from any thread; must return quickly.
pub trait ProgressSink: Send + Sync {
    fn report(&self, progress: &Progress);
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct SilentProgress;

impl ProgressSink for SilentProgress {
    fn report(&self, _progress: &Progress) {}
}

impl<F: Fn(&Progress) + Send + Sync> ProgressSink for F {
    fn report(&self, progress: &Progress) {
        self(progress);
    }
}
