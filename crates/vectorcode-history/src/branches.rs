//! Lists the names of branches and tags.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::git_dirs::GitDirs;
use crate::git_files::{find_line, first_line};
use crate::references::{MAX_PACKED_BYTES, is_name};
use crate::refusal::Refusal;
use crate::{HistoryError, Repository};

const BRANCHES: &str = "refs/heads/";
const REMOTE_BRANCHES: &str = "refs/remotes/";
const TAGS: &str = "refs/tags/";
/// Far more than anybody would look through.
const MAX_NAMES: usize = 20_000;
/// `refs/remotes/origin/team/topic/part`, with some margin.
const MAX_DEPTH: usize = 12;

/// The branches and tags of a repository, without the prefixes of their full names, in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    /// The checked-out branch; `None` if HEAD is detached.
    pub current: Option<String>,
    pub local: Vec<String>,
    /// With the names of their remotes: `origin/main`.
    pub remote: Vec<String>,
    pub tags: Vec<String>,
}

impl Repository {
    pub fn branches(&self) -> Result<Branches, HistoryError> {
        self.catching_panics(|| self.dirs.branches().map_err(|refusal| self.refused(refusal)))
    }
}

impl GitDirs {
    fn branches(&self) -> Result<Branches, Refusal> {
        let mut names = BTreeSet::new();
        find_line(&self.common_dir, "packed-refs", MAX_PACKED_BYTES, |line| {
            let name = std::str::from_utf8(line).ok()?.split_once(' ')?.1;
            keep(&mut names, name);
            (names.len() >= MAX_NAMES).then_some(())
        })?;
        for folder in [BRANCHES, REMOTE_BRANCHES, TAGS] {
            add_loose(&self.common_dir, folder.trim_end_matches('/'), MAX_DEPTH, &mut names);
        }
        let below = |folder: &str| {
            names.iter().filter_map(|name| name.strip_prefix(folder)).map(str::to_owned).collect()
        };
        let head = first_line(&self.git_dir, "HEAD")?;
        let current =
            head.as_deref().and_then(|head| head.strip_prefix("ref:")?.trim().strip_prefix(BRANCHES));
        Ok(Branches {
            current: current.map(str::to_owned),
            local: below(BRANCHES),
            remote: below(REMOTE_BRANCHES),
            tags: below(TAGS),
        })
    }
}

/// Adds the references that have files of their own. Does not follow links.
fn add_loose(common: &Path, folder: &str, depth: usize, names: &mut BTreeSet<String>) {
    let Ok(entries) = fs::read_dir(common.join(folder)) else { return };
    for entry in entries.flatten() {
        let (Ok(kind), Some(name)) = (entry.file_type(), entry.file_name().to_str().map(str::to_owned))
        else {
            continue;
        };
        let name = format!("{folder}/{name}");
        if names.len() >= MAX_NAMES {
            return;
        }
        if kind.is_dir() && depth > 0 {
            add_loose(common, &name, depth - 1, names);
        } else if kind.is_file() {
            keep(names, &name);
        }
    }
}

/// Adds a branch or tag. `origin/HEAD` is left out, because it is another name for a listed branch.
fn keep(names: &mut BTreeSet<String>, name: &str) {
    let is_listed = [BRANCHES, REMOTE_BRANCHES, TAGS].iter().any(|folder| name.starts_with(folder));
    if is_listed && is_name(name) && !(name.starts_with(REMOTE_BRANCHES) && name.ends_with("/HEAD")) {
        names.insert(name.to_owned());
    }
}
