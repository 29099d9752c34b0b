//! Context artifacts: named documents of a project, such as schemas, API descriptions and runbooks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::choices;

choices! {
    /// What a search does with files of context artifacts.
    #[derive(Default)]
    pub enum ArtifactFilter: "artifact filter" {
        #[default]
        Include = "include", "Treat artifacts like other files";
        Exclude = "exclude", "Leave artifacts out";
        Only = "only", "Return only artifacts";
    }
}

choices! {
    /// What can be done with the context artifacts of a project.
    #[derive(Default)]
    pub enum ContextAction: "context action" {
        #[default]
        List = "list", "List the artifacts, their descriptions and their state";
        Search = "search", "Search only the artifacts";
        Index = "index", "Bring the artifacts up to date";
        Remove = "remove", "Remove artifacts from the settings and the index; their files stay";
    }
}

/// The context artifacts of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextResponse {
    pub artifacts: Vec<ArtifactStatus>,
    /// Problems with the definitions as a whole, as sentences.
    pub notes: Vec<String>,
}

impl ContextResponse {
    /// All problems of artifacts and of their definitions, as sentences.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        let of_artifacts = self.artifacts.iter().filter_map(|artifact| {
            Some(format!("Context artifact `{}`: {}", artifact.name, artifact.problem.as_ref()?))
        });
        of_artifacts.chain(self.notes.iter().cloned())
    }
}

/// One artifact: its definition, and what the index holds for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactStatus {
    pub name: String,
    /// A file or a directory, as written in the definition.
    pub path: String,
    pub description: String,
    /// The file that defines it.
    pub defined_in: String,
    pub state: ArtifactState,
    /// Number of files and chunks in the index.
    pub files: u64,
    pub chunks: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactState {
    /// The index is up to date.
    Indexed,
    /// Some files are new or have changed since they were indexed.
    Pending,
    /// Its path does not exist.
    Missing,
    /// The path is outside the project, or none of its files can be indexed.
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
