//! Several projects: which ones to search, and the state of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which projects are searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectSelection {
    /// Every registered project.
    All,
    /// The current project and those that its settings link to.
    Linked,
    /// Each by name, or by a path inside it.
    Named(Vec<String>),
}

impl ProjectSelection {
    /// Parses `all`, `linked`, or names and paths separated by commas.
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

/// All registered projects, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsResponse {
    pub projects: Vec<ProjectSummary>,
    /// Notes for the user, as sentences.
    pub notes: Vec<String>,
}

/// The current state of one registered project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectSummary {
    /// Unique among the registered projects; used in selections and results.
    pub name: String,
    pub root: String,
    pub state: ProjectState,
    /// The current project.
    pub current: bool,
    /// Linked in the settings of the current project.
    pub linked: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub files: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chunks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last_sync_at: Option<String>,
    /// A process follows the changes of its files.
    #[serde(default)]
    pub watched: bool,
    /// The server that was asked has it open.
    #[serde(default)]
    pub open: bool,
    /// Why it cannot be searched.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectState {
    Ready,
    /// The root exists, its index does not.
    NotIndexed,
    /// The root no longer exists.
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
