//! Computes the ancestors of commits.

use std::collections::HashMap;

use vectorcode_core::CommitId;
use vectorcode_store::{StoredCommit, StoredHistory};

/// Drops all commits that are not ancestors of the checked-out one. If that commit is unknown, drops everything.
pub(super) fn keep_ancestors_of_head(history: &mut StoredHistory) {
    let places = places(&history.commits);
    let Some(head) = history.head.and_then(|head| places.get(&head)) else {
        history.commits.clear();
        return;
    };
    let mut is_kept = ancestors(&history.commits, &places, *head).into_iter();
    history.commits.retain(|_| is_kept.next().unwrap_or_default());
}

/// Which commits are ancestors of `from`, including itself, as far as the index has them.
pub(super) fn ancestors(
    commits: &[StoredCommit],
    places: &HashMap<CommitId, usize>,
    from: usize,
) -> Vec<bool> {
    let mut found = vec![false; commits.len()];
    let mut open = vec![from];
    while let Some(place) = open.pop() {
        if !std::mem::replace(&mut found[place], true) {
            open.extend(commits[place].parents.iter().filter_map(|parent| places.get(parent)));
        }
    }
    found
}

pub(super) fn places(commits: &[StoredCommit]) -> HashMap<CommitId, usize> {
    commits.iter().enumerate().map(|(place, commit)| (commit.id, place)).collect()
}
