//! Finds the files under active work: those that the latest commits changed most often.

use std::cmp::Reverse;
use std::collections::HashMap;

use vectorcode_core::api::HotFile;
use vectorcode_store::StoredCommit;

use crate::graph::{Folder, GraphContext};
use crate::history::HistoryIndex;
use crate::time::iso8601;

/// How many commits are counted, newest first: files that were worked on years ago are no longer hot.
const RECENT_COMMITS: usize = 500;
/// A commit that changes more files renames or reformats, and says nothing about each of them.
const MAX_FILES: usize = 30;
/// A file changed by a single commit is not under active work.
const MIN_COMMITS: u64 = 2;

pub(super) fn find(
    context: &GraphContext<'_>,
    history: &HistoryIndex,
    folder: &Folder<'_>,
    limit: usize,
) -> Vec<HotFile> {
    let mut counts: HashMap<u32, (u64, i64)> = HashMap::new();
    for commit in recent(history) {
        for file in &commit.files {
            let (count, last) = counts.entry(*file).or_default();
            *count += 1;
            *last = (*last).max(commit.time_secs);
        }
    }
    let tree = context.snapshot.files.tree();
    let is_shown = |path: &str| {
        tree.get(path)
            .is_some_and(|file| context.snapshot.is_code(file) && folder.files.binary_search(&file).is_ok())
    };
    let often = counts.into_iter().filter(|(_, (count, _))| *count >= MIN_COMMITS);
    let mut hot: Vec<(u64, i64, &str)> =
        often.map(|(file, (count, last))| (count, last, history.path(file))).collect();
    hot.retain(|(_, _, path)| is_shown(path));
    hot.sort_unstable_by_key(|(count, last, path)| (Reverse(*count), Reverse(*last), *path));
    let described = hot.into_iter().take(limit).map(|(commits, last, path)| HotFile {
        path: path.to_owned(),
        commits,
        last_changed_at: iso8601(last),
    });
    described.collect()
}

/// The newest commits of this history with a known and not too large set of changed files.
fn recent(history: &HistoryIndex) -> Vec<&StoredCommit> {
    let usable = history.usable_commits(None);
    let commits = history.commits().iter().zip(usable).filter(|(_, is_usable)| *is_usable);
    let telling =
        commits.map(|(commit, _)| commit).filter(|commit| (1..=MAX_FILES).contains(&commit.files.len()));
    let mut commits: Vec<&StoredCommit> = telling.collect();
    commits.sort_unstable_by_key(|commit| Reverse(commit.time_secs));
    commits.truncate(RECENT_COMMITS);
    commits
}
