//! Loads issues and the files that their fixes changed: one JSON object per line.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

use crate::dataset::read_json_lines;

/// A bug report whose fix is known.
#[derive(Clone, Debug, Deserialize)]
pub struct Issue {
    pub id: String,
    /// `owner/name` on GitHub.
    pub repo: String,
    /// The commit before the fix.
    pub base_commit: String,
    pub created_at: String,
    pub text: String,
    /// The source files that the fix changed, each with the lines that it touched.
    pub gold: BTreeMap<String, Vec<(u32, u32)>>,
}

impl Issue {
    pub fn gold_files(&self) -> Vec<&str> {
        self.gold.keys().map(String::as_str).collect()
    }

    /// The group that the issue is reported in: the extension of a right file.
    pub fn language(&self) -> &str {
        self.gold.keys().next().and_then(|path| path.rsplit_once('.')).map_or("", |parts| parts.1)
    }

    /// Roughly how many tokens the text has for a language model, assuming four bytes of prose per token.
    pub fn tokens(&self) -> usize {
        self.text.len().div_ceil(4)
    }
}

/// Reads a file of issues. They are grouped by repository, oldest first, so that each tree can be derived from the previous
/// one.
pub fn read(path: &Path) -> Result<Vec<Issue>> {
    let mut issues: Vec<Issue> = read_json_lines(path)?;
    issues.sort_by(|left, right| {
        (&left.repo, &left.created_at, &left.id).cmp(&(&right.repo, &right.created_at, &right.id))
    });
    Ok(issues)
}
