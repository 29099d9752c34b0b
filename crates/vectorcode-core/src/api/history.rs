//! Requests to the git history: searches for commits by message and by the files that they changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Searches commits. Without a query, the newest come first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRequest {
    /// Words to look for in the messages.
    pub query: Option<String>,
    /// Only commits that changed this file, or a file in this folder; relative to the project root.
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
    /// Most similar first; without a query, newest first.
    pub commits: Vec<CommitHit>,
    /// How many commits match, listed or not.
    pub total: usize,
    /// What was left out and why, as sentences.
    pub notes: Vec<String>,
}

/// Names that a client can offer for a revision. Empty if there is no repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BranchesResponse {
    /// The branch that is checked out.
    pub current: Option<String>,
    pub local: Vec<String>,
    /// Remote branches, each with the name of its remote.
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
    /// The message below the subject.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub body: String,
    /// Changed files, relative to the project root, with `/`. Empty if there are too many, or if they are not known.
    pub files: Vec<String>,
    /// The commit changed too many files to list.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub too_many_files: bool,
    /// Similarity of the message to the query, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f32>,
}
