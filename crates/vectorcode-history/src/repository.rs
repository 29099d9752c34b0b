//! The repository that a project belongs to.
//!
//! A repository is hostile input like the rest of a project. Where its data lies is decided in `git_folders`, its small files
//! are read by `git_files`, its objects are decoded by `gix-odb` (`objects`). No other settings, no environment, no hooks and
//! no filters count. Nothing is written and no program is started. A panic of a decoder becomes an error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use gix_hash::ObjectId;
use vectorcode_core::{CommitId, canonical, with_slashes};

use crate::git_folders::{self, GitFolders};
use crate::objects::Objects;
use crate::references::Target;
use crate::refusal::Refusal;
use crate::{HistoryError, git_files, settings};

/// A repository, and where in it the project lies.
pub struct Repository {
    pub(crate) objects: Objects,
    pub(crate) folders: GitFolders,
    /// The directory that holds `.git`.
    work_tree: PathBuf,
    /// The names of the directories from there to the project's root; none for a project that is the whole repository.
    pub(crate) prefix: Vec<String>,
}

impl Repository {
    /// The repository that holds `root`; `None` where there is none.
    pub fn open(root: &Path) -> Result<Option<Self>, HistoryError> {
        let root = canonical(root).unwrap_or_else(|_| root.to_path_buf());
        let Some(work_tree) = git_folders::work_tree_around(&root) else { return Ok(None) };
        let Ok(inside) = root.strip_prefix(work_tree) else { return Ok(None) };
        let inside = with_slashes(&inside.to_string_lossy()).into_owned();
        let prefix = inside.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        guarded(work_tree, || {
            let opened = GitFolders::of(work_tree)
                .and_then(|folders| Objects::open(&folders.common).map(|objects| (folders, objects)));
            let (folders, objects) = opened.map_err(|refusal| HistoryError::refused(work_tree, refusal))?;
            Ok(Some(Self { objects, folders, work_tree: work_tree.to_path_buf(), prefix }))
        })
    }

    /// The commit that is checked out; `None` before the first one.
    pub fn head(&self) -> Result<Option<CommitId>, HistoryError> {
        self.guarded(|| match self.folders.follow("HEAD").map_err(|refusal| self.refused(refusal))? {
            Target::Object(id) => Ok(CommitId::from_bytes(id.as_slice())),
            Target::Unborn => Ok(None),
            Target::Absent => Err(self.refused(Refusal::new("it has no HEAD"))),
        })
    }

    /// The address of a remote, as the repository's own configuration writes it.
    pub fn remote_url(&self, remote: &str) -> Option<String> {
        let key = format!("remote.{remote}.url");
        self.guarded(|| Ok(settings::value(&self.folders.common, &key).ok().flatten())).ok().flatten()
    }

    /// Where in the repository the project lies, with `/`; empty for the whole of it.
    pub fn folder(&self) -> String {
        self.prefix.join("/")
    }

    pub(crate) fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    /// Whether the clone has only the latest part of the history.
    pub fn is_shallow(&self) -> bool {
        git_files::has_content(&self.folders.common, "shallow")
    }

    pub(crate) fn error(&self, error: impl std::fmt::Display) -> HistoryError {
        HistoryError::repository(&self.work_tree, error)
    }

    pub(crate) fn refused(&self, refusal: Refusal) -> HistoryError {
        HistoryError::refused(&self.work_tree, refusal)
    }

    pub(crate) fn guarded<T>(
        &self,
        read: impl FnOnce() -> Result<T, HistoryError>,
    ) -> Result<T, HistoryError> {
        guarded(&self.work_tree, read)
    }

    /// The bytes of an object of the kind that is expected; `None` for one that is missing, damaged or too large.
    pub(crate) fn object(&self, id: ObjectId, kind: gix_object::Kind) -> Option<Vec<u8>> {
        self.objects.read(id, kind)
    }
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository").field("work_tree", &self.work_tree).finish_non_exhaustive()
    }
}

/// A decoder that panics has met damage that it does not know. Nothing that it was given is used afterwards but the
/// repository, whose caches hold whole objects only.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, HistoryError>) -> Result<T, HistoryError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(HistoryError::Damaged { path: path.into() }))
}
