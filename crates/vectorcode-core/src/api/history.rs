//! Requests to the repository's history: commits by what they say, and by what they changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Looks for commits. Without a query they come newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRequest {
    /// What the message is about, in words.
    pub query: Option<String>,
    /// Only commits that changed this file, or a file below this folder; relative to the project root.
    pub path: Option<String>,
    pub limit: usize,
}

impl HistoryRequest {
    pub const DEFAULT_LIMIT: usize = 10;
}

impl Default for HistoryRequest {
    fn default() -> Self {
        Self { query: None, path: None, limit: Self::DEFAULT_LIMIT }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryResponse {
    /// The most similar first; without a query, the newest first.
    pub commits: Vec<CommitHit>,
    /// How many commits match, listed or not.
    pub total: usize,
    /// What was left out and why, as sentences.
    pub notes: Vec<String>,
}

/// What can be asked about without its id; nothing where there is no repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchesResponse {
    /// That which is checked out.
    pub current: Option<String>,
    pub local: Vec<String>,
    /// With the names of their remotes.
    pub remote: Vec<String>,
    pub tags: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommitHit {
    /// Forty hexadecimal digits.
    pub id: String,
    /// ISO 8601.
    pub time: String,
    pub author: String,
    pub subject: String,
    /// What the message says below the subject.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub body: String,
    /// Relative to the project root, with `/`. Empty where they are too many or not known.
    pub files: Vec<String>,
    /// More files than are listed were changed.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub too_many_files: bool,
    /// How much the message resembles the query, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f32>,
}
