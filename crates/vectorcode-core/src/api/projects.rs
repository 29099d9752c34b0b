//! Requests that cover several projects: which ones to search, and the state of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which projects are searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectSelection {
    /// Every registered project.
    All,
    /// The current project and the projects that its settings link to.
    Linked,
    /// Projects given by name or by any path inside them.
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

/// Which projects a caller may see: names, or patterns in which `*` matches any text. Empty: all projects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProjectFilter(Vec<String>);

impl ProjectFilter {
    pub fn new(patterns: Vec<String>) -> Self {
        Self(patterns)
    }

    pub fn patterns(&self) -> &[String] {
        &self.0
    }

    /// Whether it admits every project.
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    pub fn admits(&self, name: &str) -> bool {
        self.is_all() || self.0.iter().any(|pattern| matches_pattern(pattern, name).is_some())
    }
}

fn matches_pattern(pattern: &str, name: &str) -> Option<()> {
    let mut parts = pattern.split('*');
    let mut rest = name.strip_prefix(parts.next()?)?;
    let Some(last) = parts.next_back() else { return rest.is_empty().then_some(()) };
    for part in parts {
        rest = &rest[rest.find(part)? + part.len()..];
    }
    rest.ends_with(last).then_some(())
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
    /// Whether this is the current project.
    pub current: bool,
    /// Whether the settings of the current project link to it.
    pub linked: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub files: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chunks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last_sync_at: Option<String>,
    /// Whether a process follows changes of its files.
    #[serde(default)]
    pub watched: bool,
    /// Whether the server that answers has it open.
    #[serde(default)]
    pub open: bool,
    /// Why the project cannot be searched.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectState {
    Ready,
    /// The root exists, but there is no index.
    NotIndexed,
    /// The root no longer exists.
    Gone,
    /// The settings or the index cannot be read.
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

    #[test]
    fn a_filter_admits_names_and_patterns() {
        let admits = |patterns: &[&str], name: &str| {
            ProjectFilter::new(patterns.iter().map(ToString::to_string).collect()).admits(name)
        };
        assert!(admits(&[], "api"));
        assert!(admits(&["web", "api"], "api") && !admits(&["api"], "api-2") && !admits(&["api"], "my-api"));
        assert!(admits(&["pay-*"], "pay-api") && !admits(&["pay-*"], "pa"));
        assert!(admits(&["*-api"], "pay-api") && admits(&["p*-*i"], "pay-api") && !admits(&["a*a"], "a"));
        assert!(admits(&["*"], "any") && !admits(&[""], "any"));
    }
}
