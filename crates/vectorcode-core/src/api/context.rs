//! Context artifacts: documents of the project that are known by name, such as schemas, API descriptions, runbooks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to do with files of context artifacts in a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArtifactFilter {
    /// They take part like every other file.
    #[default]
    Include,
    Exclude,
    Only,
}

/// The context artifacts of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextResponse {
    pub artifacts: Vec<ArtifactStatus>,
    /// What is wrong with the definitions as a whole, as sentences.
    pub notes: Vec<String>,
}

impl ContextResponse {
    /// Everything that keeps an artifact from being found as a whole, as sentences.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        let of_artifacts = self.artifacts.iter().filter_map(|artifact| {
            Some(format!("Context artifact `{}`: {}", artifact.name, artifact.problem.as_ref()?))
        });
        of_artifacts.chain(self.notes.iter().cloned())
    }
}

/// One artifact: its definition, and what the index holds of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactStatus {
    pub name: String,
    /// As defined: a file or a directory.
    pub path: String,
    pub description: String,
    /// The file that defines it.
    pub defined_in: String,
    pub state: ArtifactState,
    /// Files and chunks in the index.
    pub files: u64,
    pub chunks: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactState {
    /// The index holds its files as they are on disk.
    Indexed,
    /// Some of its files are new or changed since they were indexed.
    Pending,
    /// There is nothing at its path.
    Missing,
    /// It lies outside the project, or no file of it can be indexed.
    Unusable,
}

impl ArtifactState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Indexed => "indexed",
            Self::Pending => "pending",
            Self::Missing => "missing",
            Self::Unusable => "unusable",
        }
    }
}
