//! Many projects: which ones to ask, and how each of them is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which projects a search asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectSelection {
    /// Every registered project.
    All,
    /// The project at hand, and those that its settings link.
    Linked,
    /// Each by its name, or by a path at or below its root.
    Named(Vec<String>),
}

impl ProjectSelection {
    /// Reads `all`, `linked`, or names and paths with commas between them.
    pub fn parse(text: &str) -> Self {
        match text.trim() {
            "all" | "*" => Self::All,
            "linked" => Self::Linked,
            names => Self::Named(
                names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect(),
            ),
        }
    }
}

/// Every registered project, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsResponse {
    pub projects: Vec<ProjectSummary>,
    /// What else the reader should know, as sentences.
    pub notes: Vec<String>,
}

/// One registered project as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectSummary {
    /// Unique among the registered projects; what a selection names and results carry.
    pub name: String,
    pub root: String,
    pub state: ProjectState,
    /// The project at hand.
    pub current: bool,
    /// Linked in the settings of the project at hand.
    pub linked: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub files: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chunks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last_sync_at: Option<String>,
    /// Why it cannot be searched.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectState {
    Ready,
    /// The root is there, its index is not.
    NotIndexed,
    /// The root is no longer there.
    Gone,
    /// Its settings or its index cannot be read.
    Broken,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_is_read_from_one_line() {
        let named = |names: &[&str]| {
            ProjectSelection::Named(names.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(ProjectSelection::parse(" all "), ProjectSelection::All);
        assert_eq!(ProjectSelection::parse("linked"), ProjectSelection::Linked);
        assert_eq!(ProjectSelection::parse("api, ../web,,"), named(&["api", "../web"]));
        assert_eq!(ProjectSelection::parse(""), named(&[]));
    }
}
