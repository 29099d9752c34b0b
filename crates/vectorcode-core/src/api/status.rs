//! The state of an index.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index::SkippedCount;
use crate::parsed::FileFlags;
use crate::progress::Phase;
use crate::space::VectorSpace;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusResponse {
    pub project_root: String,
    pub space: VectorSpace,
    /// The version of vectorcode that created the index.
    pub version: String,
    pub created_at: String,
    pub last_sync_at: Option<String>,
    pub files: u64,
    pub chunks: u64,
    pub symbols: u64,
    /// Number of commits that searches take into account.
    #[serde(default)]
    pub commits: u64,
    /// Number of files per language, largest first.
    pub languages: Vec<(String, u64)>,
    pub database_bytes: u64,
    pub coverage: Coverage,
    pub skipped: Vec<SkippedCount>,
    /// Files that are indexed or ranked differently.
    #[serde(default)]
    pub special: SpecialFiles,
    /// Files that changed on disk since they were indexed.
    pub pending: Vec<PendingFile>,
    pub activity: Activity,
    /// True if a process (this one or another) follows changes on disk.
    pub watched: bool,
    /// Notes for the user, as sentences.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// How many indexed files have a property that changes how they are indexed or ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpecialFiles {
    /// Files with a "generated" marker; ranked below others.
    pub generated: u64,
    /// Files with lines too long to read; split by characters, and ranked below others.
    pub minified: u64,
    /// Files that overwhelmed their parser, or are not what their name says; indexed by lines, without symbols.
    pub unparsed: u64,
    /// Files with keys or tokens, which are masked.
    pub masked: u64,
    /// Files in an encoding older than Unicode.
    pub other_encoding: u64,
}

impl SpecialFiles {
    pub fn add(&mut self, flags: FileFlags, files: u64) {
        let counts = [
            (flags.generated, &mut self.generated),
            (flags.minified, &mut self.minified),
            (flags.unparsed, &mut self.unparsed),
            (flags.masked, &mut self.masked),
            (flags.lossy, &mut self.other_encoding),
        ];
        for (_, count) in counts.into_iter().filter(|(is_set, _)| *is_set) {
            *count += files;
        }
    }

    /// Each property that at least one file has, with the number of files, for display.
    pub fn describe(self) -> Vec<(u64, &'static str)> {
        let all = [
            (self.generated, "generated"),
            (self.minified, "minified"),
            (self.unparsed, "without symbols"),
            (self.masked, "with masked secrets"),
            (self.other_encoding, "not in Unicode"),
        ];
        all.into_iter().filter(|(count, _)| *count > 0).collect()
    }
}

/// Progress of stage two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    pub embedded: u64,
    pub total: u64,
}

impl Coverage {
    /// 0 to 1. An empty index has 0, so that it does not count as complete.
    pub fn fraction(self) -> f32 {
        if self.total == 0 { 0.0 } else { self.embedded as f32 / self.total as f32 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PendingFile {
    pub path: String,
    pub modified_secs_ago: u64,
}

/// What the index is doing right now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Activity {
    Idle,
    Running {
        phase: Phase,
        done: u64,
        total: u64,
        per_second: f64,
        /// The process that does the work, if it is another one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        process: Option<String>,
    },
}
