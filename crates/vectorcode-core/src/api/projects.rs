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

/// Which projects a caller may see: names, or patterns in which `*` stands for any text. Without any, all of them.
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

    /// Whether it leaves no project out.
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
