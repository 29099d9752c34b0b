//! Opens the repository that a project belongs to.
//!
//! A repository is untrusted input, like the rest of a project. `git_dirs` decides where its data is, `git_files` reads small
//! files, and `gix-odb` decodes objects (`objects`). No other settings, environment variables, hooks or filters are used. Nothing
//! is written and no program is started. A panic in a decoder becomes an error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use gix_hash::ObjectId;
use vectorcode_core::{CommitId, canonical, with_slashes};

use crate::git_dirs::{self, GitDirs};
use crate::objects::Objects;
use crate::references::Target;
use crate::refusal::Refusal;
use crate::{HistoryError, git_files, settings};

/// A repository, with the location of the project in it.
pub struct Repository {
    pub(crate) objects: Objects,
    pub(crate) dirs: GitDirs,
    /// The directory that contains `.git`.
    worktree: PathBuf,
    /// The folders from there to the project's root; empty if the project is the whole repository.
    pub(crate) prefix: Vec<String>,
}

impl Repository {
    /// The repository that contains `root`; `None` if there is none.
    pub fn open(root: &Path) -> Result<Option<Self>, HistoryError> {
        let root = canonical(root).unwrap_or_else(|_| root.to_path_buf());
        let Some(worktree) = git_dirs::worktree_around(&root) else { return Ok(None) };
        let Ok(inside) = root.strip_prefix(worktree) else { return Ok(None) };
        let inside = with_slashes(&inside.to_string_lossy()).into_owned();
        let prefix = inside.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        catching_panics(worktree, || {
            let opened = GitDirs::of(worktree)
                .and_then(|dirs| Objects::open(&dirs.common_dir).map(|objects| (dirs, objects)));
            let (dirs, objects) = opened.map_err(|refusal| HistoryError::refused(worktree, refusal))?;
            Ok(Some(Self { objects, dirs, worktree: worktree.to_path_buf(), prefix }))
        })
    }

    /// The checked-out commit; `None` before the first commit.
    pub fn head(&self) -> Result<Option<CommitId>, HistoryError> {
        self.catching_panics(|| match self.dirs.follow("HEAD").map_err(|refusal| self.refused(refusal))? {
            Target::Object(id) => Ok(CommitId::from_bytes(id.as_slice())),
            Target::Unborn => Ok(None),
            Target::Absent => Err(self.refused(Refusal::new("it has no HEAD"))),
        })
    }

    /// The URL of a remote, as in the repository's own configuration.
    pub fn remote_url(&self, remote: &str) -> Option<String> {
        let key = format!("remote.{remote}.url");
        self.catching_panics(|| Ok(settings::value(&self.dirs.common_dir, &key).ok().flatten()))
            .ok()
            .flatten()
    }

    /// The project's folder in the repository, with `/`; empty for the whole repository.
    pub fn folder(&self) -> String {
        self.prefix.join("/")
    }

    pub(crate) fn worktree(&self) -> &Path {
        &self.worktree
    }

    /// Whether this is a shallow clone, which only has the latest part of the history.
    pub fn is_shallow(&self) -> bool {
        git_files::has_content(&self.dirs.common_dir, "shallow")
    }

    pub(crate) fn error(&self, error: impl std::fmt::Display) -> HistoryError {
        HistoryError::repository(&self.worktree, error)
    }

    pub(crate) fn refused(&self, refusal: Refusal) -> HistoryError {
        HistoryError::refused(&self.worktree, refusal)
    }

    pub(crate) fn catching_panics<T>(
        &self,
        read: impl FnOnce() -> Result<T, HistoryError>,
    ) -> Result<T, HistoryError> {
        catching_panics(&self.worktree, read)
    }

    /// The bytes of an object of the expected kind; `None` if it is missing, damaged or too large.
    pub(crate) fn object(&self, id: ObjectId, kind: gix_object::Kind) -> Option<Vec<u8>> {
        self.objects.read(id, kind)
    }
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository").field("worktree", &self.worktree).finish_non_exhaustive()
    }
}

/// Turns a panic into an error: the decoder found damage that it does not handle. After that, only the repository is used again,
/// whose caches contain only complete objects.
fn catching_panics<T>(
    path: &Path,
    read: impl FnOnce() -> Result<T, HistoryError>,
) -> Result<T, HistoryError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(HistoryError::Damaged { path: path.into() }))
}
