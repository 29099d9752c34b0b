//! Requests and responses about changes: what a change affects, in the working tree or in a commit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edit::AffectedSymbol;
use super::graph::{GraphRequest, Impact};
use crate::parsed::DefinitionKind;

/// Which files and symbols changed, who uses them, and which tests reach them. Two versions of the project are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesRequest {
    /// The commit, branch or tag to compare with. `None`: the commit that is checked out, or the parent of `commit`.
    pub base: Option<String>,
    /// The commit, branch or tag whose changes are listed. `None`: the files on disk.
    pub commit: Option<String>,
    /// How many edges to follow from a changed symbol to its users.
    pub depth: u32,
    /// Maximum number of affected symbols in the response; the rest are only counted.
    pub limit: usize,
}

impl ChangesRequest {
    /// Parses revisions as people write them. Nothing: the files on disk against the last commit. `main`: the files on disk
    /// against that branch. `main..topic`: one commit against another. `..topic`: a commit against its parent.
    pub fn of(revisions: Option<&str>) -> Self {
        let named = |name: &str| Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        let (base, commit) = match revisions.map(|text| text.split_once("..").ok_or(text)) {
            None => (None, None),
            Some(Ok((base, commit))) => (named(base), named(commit.trim_start_matches('.'))),
            Some(Err(base)) => (named(base), None),
        };
        Self { base, commit, ..Self::default() }
    }
}

impl Default for ChangesRequest {
    fn default() -> Self {
        Self {
            base: None,
            commit: None,
            depth: GraphRequest::IMPACT_DEPTH,
            limit: GraphRequest::DEFAULT_LIMIT,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// The file moved to another path; its text is the same or nearly the same.
    Renamed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// Relative to the project root, with `/`.
    pub path: String,
    /// The previous path of a renamed file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub old_path: Option<String>,
    pub change: ChangeKind,
    pub lines_added: u32,
    pub lines_removed: u32,
    /// Whether the index holds the version that was compared. If not, the line numbers of its symbols may be wrong.
    pub is_indexed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedSymbol {
    /// The qualified name.
    pub name: String,
    pub kind: DefinitionKind,
    pub change: ChangeKind,
    pub path: String,
    /// Line numbers in the newer version; for a deleted symbol, in the older one.
    pub start_line: u32,
    pub end_line: u32,
    pub is_test: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangesResponse {
    /// Ids of the two commits that were compared; `to` is `None` for the files on disk.
    pub from: String,
    pub to: Option<String>,
    pub files: Vec<FileChange>,
    /// The innermost symbols that contain changed lines.
    pub symbols: Vec<ChangedSymbol>,
    /// Users of the changed symbols, nearest first. Tests are listed separately.
    pub affected: Vec<AffectedSymbol>,
    /// Tests that changed, or that reach changed code, nearest first.
    pub tests: Vec<AffectedSymbol>,
    /// Test files that reach changed files through imports only, nearest first.
    #[serde(default)]
    pub test_files: Vec<String>,
    /// Counts of everything affected, listed or not.
    pub impact: Impact,
    pub truncated: bool,
    /// What was left out and why, as sentences.
    pub notes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_read_as_git_writes_them() {
        let of = |text: Option<&str>| {
            let request = ChangesRequest::of(text);
            (request.base.unwrap_or_default(), request.commit.unwrap_or_default())
        };
        let pair = |base: &str, commit: &str| (base.to_owned(), commit.to_owned());
        assert_eq!(of(None), pair("", ""));
        assert_eq!(of(Some("main")), pair("main", ""));
        assert_eq!(of(Some("main..topic")), pair("main", "topic"));
        assert_eq!(of(Some("..topic")), pair("", "topic"));
        assert_eq!(of(Some("v1...v2")), pair("v1", "v2"));
    }
}
