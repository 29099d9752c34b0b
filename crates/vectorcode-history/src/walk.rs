//! Walks the ancestors of a commit, newest first, with the files that each changed.
//!
//! Commits that the caller knows are returned without reading them, so a walk over a known history is cheap and an interrupted
//! walk can be resumed.

use std::collections::{BinaryHeap, HashSet};

use vectorcode_core::{Commit, CommitChanges, CommitId};

use crate::commit_object::CommitObject;
use crate::tree_diff::{Bounds, Incomplete, TreeDiff, folder};
use crate::{HistoryError, Repository};

/// A commit that changed more files than this says little about each of them.
pub const MAX_FILES_PER_COMMIT: usize = 30;
/// The maximum number of trees read for one commit: thirty files in different folders, twenty levels deep, on both sides.
const MAX_TREES_PER_COMMIT: usize = 1_200;
/// The maximum number of entries in these trees.
const MAX_ENTRIES_PER_COMMIT: usize = 1_000_000;

/// What the caller knows about a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCommit {
    pub parents: Vec<CommitId>,
    pub time_secs: i64,
}

/// One commit of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Known(CommitId),
    New(Commit),
}

/// A walk from a commit to its ancestors.
#[derive(Debug)]
pub struct Walk<'r, K> {
    repository: &'r Repository,
    known: K,
    open: BinaryHeap<Open>,
    seen: HashSet<CommitId>,
}

/// A commit that was reached but not yet returned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    time_secs: i64,
    /// Among commits of the same second, the one that was reached first, which is the descendant.
    reached: std::cmp::Reverse<usize>,
    id: CommitId,
}

impl Repository {
    /// Walks the history of `from`. `known` returns what the caller knows about a commit.
    pub fn walk<K: Fn(&CommitId) -> Option<KnownCommit>>(&self, from: CommitId, known: K) -> Walk<'_, K> {
        let mut walk = Walk { repository: self, known, open: BinaryHeap::new(), seen: HashSet::new() };
        walk.seen.insert(from);
        walk.open.push(Open { time_secs: i64::MAX, reached: std::cmp::Reverse(0), id: from });
        walk
    }

    /// The newest commit for which `is_wanted` holds, among `from` and the `limit` newest commits of its history. Files are not
    /// compared, so this takes a fraction of the time of a walk.
    pub fn newest_ancestor(
        &self,
        from: CommitId,
        limit: usize,
        is_wanted: impl Fn(&CommitId) -> bool,
    ) -> Result<Option<CommitId>, HistoryError> {
        self.catching_panics(|| {
            let mut walk = self.walk(from, |_: &CommitId| None);
            for _ in 0..limit {
                let Some(Open { id, .. }) = walk.open.pop() else { return Ok(None) };
                if is_wanted(&id) {
                    return Ok(Some(id));
                }
                let parents = CommitObject::read(self, id).map_or_else(Vec::new, |object| object.parents);
                for parent in parents {
                    walk.reach(parent);
                }
            }
            Ok(None)
        })
    }
}

impl<K: Fn(&CommitId) -> Option<KnownCommit>> Walk<'_, K> {
    fn step(&mut self, id: CommitId) -> Option<Step> {
        if let Some(known) = (self.known)(&id) {
            for parent in known.parents {
                self.reach(parent);
            }
            return Some(Step::Known(id));
        }
        let object = CommitObject::read(self.repository, id)?;
        for parent in &object.parents {
            self.reach(*parent);
        }
        Some(Step::New(self.commit(object)))
    }

    /// Queues a parent by its time, unless it is missing, as in a shallow clone.
    fn reach(&mut self, id: CommitId) {
        if !self.seen.insert(id) {
            return;
        }
        let known = (self.known)(&id).map(|known| known.time_secs);
        let time_secs =
            known.or_else(|| CommitObject::read(self.repository, id).map(|object| object.time_secs));
        if let Some(time_secs) = time_secs {
            self.open.push(Open { time_secs, reached: std::cmp::Reverse(self.seen.len()), id });
        }
    }

    fn commit(&self, object: CommitObject) -> Commit {
        let changes = changes(self.repository, &object);
        let outside = changes == CommitChanges::Files(Vec::new());
        Commit {
            id: object.id,
            parents: object.parents,
            time_secs: object.time_secs,
            author: if outside { String::new() } else { object.author },
            message: if outside { String::new() } else { object.message },
            changes,
        }
    }
}

impl<K: Fn(&CommitId) -> Option<KnownCommit>> Iterator for Walk<'_, K> {
    type Item = Result<Step, HistoryError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Open { id, .. } = self.open.pop()?;
            let repository = self.repository;
            match repository.catching_panics(|| Ok(self.step(id))) {
                Ok(Some(step)) => return Some(Ok(step)),
                // A missing or damaged object ends this line of ancestors.
                Ok(None) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// The files inside the project that a commit changed relative to its first parent. Merges list none: the merged commits list
/// their changes.
fn changes(repository: &Repository, object: &CommitObject) -> CommitChanges {
    let old = match object.parents.as_slice() {
        [] => None,
        [parent] => match CommitObject::read(repository, *parent) {
            Some(parent) => Some(parent.tree),
            None => return CommitChanges::Unknown,
        },
        _ => return CommitChanges::Unknown,
    };
    let inside = |tree| folder(repository, tree, &repository.prefix);
    let compared = old.map_or(Ok(None), inside).and_then(|old| {
        let bounds = Bounds {
            files: MAX_FILES_PER_COMMIT,
            trees: MAX_TREES_PER_COMMIT,
            entries: MAX_ENTRIES_PER_COMMIT,
        };
        TreeDiff::new(repository, bounds).compare(old, inside(object.tree)?)
    });
    match compared {
        Ok(files) => CommitChanges::Files(files.into_iter().map(|file| file.path).collect()),
        Err(Incomplete::TooMany) => CommitChanges::TooMany,
        Err(Incomplete::Missing) => CommitChanges::Unknown,
    }
}
