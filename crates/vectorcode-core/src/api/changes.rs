//! What a change touches, in the working tree or in a commit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edit::AffectedSymbol;
use super::graph::{GraphRequest, Impact};
use crate::parsed::DefinitionKind;

/// Which files and symbols changed, who uses them, and which tests reach them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesRequest {
    /// The commit, branch or tag to compare with; `None`: the commit that is checked out, or the parent of `commit`.
    pub base: Option<String>,
    /// The commit, branch or tag that is compared; `None`: the files on disk.
    pub commit: Option<String>,
    /// How many edges are followed from a changed symbol to its users.
    pub depth: u32,
    /// Maximum number of affected symbols in the answer; the others are only counted.
    pub limit: usize,
}

impl ChangesRequest {
    /// As people write it: nothing for the files on disk against the last commit, `main` for the files on disk against
    /// that branch, `main..topic` for one commit against another, `..topic` for a commit against its parent.
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
    /// Of files: at another path, with the same text or most of it.
    Renamed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// Relative to the project root, with `/`.
    pub path: String,
    /// Where a renamed file was before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub old_path: Option<String>,
    pub change: ChangeKind,
    pub lines_added: u32,
    pub lines_removed: u32,
    /// The index holds the text that was compared. Otherwise its symbols may lie elsewhere.
    pub is_indexed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedSymbol {
    /// Its qualified name.
    pub name: String,
    pub kind: DefinitionKind,
    pub change: ChangeKind,
    pub path: String,
    /// Of the text that was compared; of a deleted symbol, of the text before.
    pub start_line: u32,
    pub end_line: u32,
    pub is_test: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangesResponse {
    /// What was compared, as ids of commits; `to` is `None` for the files on disk.
    pub from: String,
    pub to: Option<String>,
    pub files: Vec<FileChange>,
    /// The innermost symbols that contain changed lines.
    pub symbols: Vec<ChangedSymbol>,
    /// Nearest first; tests are listed apart.
    pub affected: Vec<AffectedSymbol>,
    /// Tests that changed or that reach what changed, nearest first.
    pub tests: Vec<AffectedSymbol>,
    /// Files of tests that load what changed, by imports alone, nearest first.
    #[serde(default)]
    pub test_files: Vec<String>,
    /// Counted over the whole answer, listed or not.
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
