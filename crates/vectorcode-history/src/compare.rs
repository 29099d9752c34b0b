//! The files of commits: their contents, and which of them differ between two commits.

use std::collections::HashMap;

use gix_hash::ObjectId;
use vectorcode_core::{BlobId, CommitId};

use crate::commit_object::CommitObject;
use crate::tree_diff::{Bounds, ChangedFile, Incomplete, TreeDiff, file_at, folder};
use crate::{HistoryError, Repository};

/// The maximum number of differing files between two commits.
const MAX_FILES: usize = 20_000;
const MAX_TREES: usize = 100_000;
const MAX_ENTRIES: usize = 5_000_000;
/// About twice as many as the largest public repositories have.
const MAX_LISTED_FILES: usize = 1_000_000;

/// A file that differs between two commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// Relative to the project root, with `/`.
    pub path: String,
    pub old: Option<BlobId>,
    pub new: Option<BlobId>,
}

fn blob_id(id: ObjectId) -> Option<BlobId> {
    BlobId::from_bytes(id.as_slice())
}

fn object_id(id: BlobId) -> ObjectId {
    ObjectId::Sha1(*id.as_bytes())
}

impl Repository {
    /// The files inside the project that differ between two commits, ordered by path. If `old` is `None`, all files of `new` are
    /// listed.
    pub fn differing(&self, old: Option<CommitId>, new: CommitId) -> Result<Vec<FileDiff>, HistoryError> {
        self.catching_panics(|| {
            let old = old.map(|commit| self.project_tree(commit)).transpose()?.flatten();
            let new = self.project_tree(new)?;
            let bounds = Bounds { files: MAX_FILES, trees: MAX_TREES, entries: MAX_ENTRIES };
            let changed =
                TreeDiff::new(self, bounds).compare(old, new).map_err(|error| self.incomplete(error))?;
            let diff = |file: ChangedFile| FileDiff {
                path: file.path,
                old: file.old.and_then(blob_id),
                new: file.new.and_then(blob_id),
            };
            Ok(changed.into_iter().map(diff).collect())
        })
    }

    /// All files of a commit inside the project, by path. It is an error if there are more than any known repository has.
    pub fn files(&self, commit: CommitId) -> Result<HashMap<String, BlobId>, HistoryError> {
        self.catching_panics(|| {
            let bounds = Bounds { files: MAX_LISTED_FILES, trees: MAX_LISTED_FILES, entries: MAX_ENTRIES };
            let listed = TreeDiff::new(self, bounds).compare(None, self.project_tree(commit)?);
            let listed = listed.map_err(|error| match error {
                Incomplete::TooMany => self.error(format!("it has more than {MAX_LISTED_FILES} files")),
                Incomplete::Missing => self.incomplete(error),
            })?;
            Ok(listed.into_iter().filter_map(|file| Some((file.path, blob_id(file.new?)?))).collect())
        })
    }

    /// The blob of a file in a commit, by its path inside the project; `None` if there is no such file.
    pub fn file(&self, commit: CommitId, path: &str) -> Result<Option<BlobId>, HistoryError> {
        self.catching_panics(|| {
            let Some(tree) = self.project_tree(commit)? else { return Ok(None) };
            let found = file_at(self, tree, path).map_err(|error| self.incomplete(error))?;
            Ok(found.and_then(blob_id))
        })
    }

    /// The first parent of a commit; `None` for a root commit.
    pub fn parent(&self, commit: CommitId) -> Result<Option<CommitId>, HistoryError> {
        self.catching_panics(|| Ok(self.commit_object(commit)?.parents.first().copied()))
    }

    /// The content of a file; `None` if it is missing or too large.
    pub fn blob(&self, id: BlobId) -> Option<Vec<u8>> {
        self.catching_panics(|| Ok(self.object(object_id(id), gix_object::Kind::Blob))).ok().flatten()
    }

    /// The size of a file's content.
    pub fn blob_size(&self, id: BlobId) -> Option<u64> {
        self.catching_panics(|| Ok(self.objects.size(object_id(id), gix_object::Kind::Blob))).ok().flatten()
    }

    fn project_tree(&self, commit: CommitId) -> Result<Option<ObjectId>, HistoryError> {
        let tree = self.commit_object(commit)?.tree;
        folder(self, tree, &self.prefix).map_err(|error| self.incomplete(error))
    }

    fn commit_object(&self, id: CommitId) -> Result<CommitObject, HistoryError> {
        CommitObject::read(self, id).ok_or_else(|| self.missing(format!("the commit {id}")))
    }

    fn incomplete(&self, incomplete: Incomplete) -> HistoryError {
        match incomplete {
            Incomplete::TooMany => self.error(format!("more than {MAX_FILES} files differ")),
            Incomplete::Missing => self.missing("all trees of the commit".to_owned()),
        }
    }

    fn missing(&self, what: String) -> HistoryError {
        HistoryError::Missing { path: self.worktree().to_path_buf(), what, is_shallow: self.is_shallow() }
    }
}
