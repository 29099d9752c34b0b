//! The repository that a project belongs to.
//!
//! A repository is hostile input like the rest of a project. It is opened in isolation: no settings of the user or the
//! system, none that it includes from elsewhere, no environment, no hooks, no filters. Nothing is written and no program
//! is started. `gix` gets a limit for the size of an object, and a panic of its decoders becomes an error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::BStr;
use vectorcode_core::{CommitId, with_slashes};

use crate::{HistoryError, own_git, plain_files};

/// No tree or message of a real repository is near to this; a blob that is larger is not compared.
const MAX_OBJECT_BYTES: usize = 32 << 20;
/// Bases of deltas that are kept. Trees of neighbouring commits are deltas of each other.
const OBJECT_CACHE_BYTES: usize = 8 << 20;

/// A repository, and where in it the project lies.
pub struct Repository {
    pub(crate) git: gix::Repository,
    /// The directory that holds `.git`.
    work_tree: PathBuf,
    /// The names of the directories from there to the project's root; none for a project that is the whole repository.
    pub(crate) prefix: Vec<String>,
}

impl Repository {
    /// The repository that holds `root`; `None` where there is none.
    pub fn open(root: &Path) -> Result<Option<Self>, HistoryError> {
        let root = vectorcode_core::canonical(root).unwrap_or_else(|_| root.to_path_buf());
        let Some(work_tree) = root.ancestors().find(|folder| own_git::is_marked(folder, &root)) else {
            return Ok(None);
        };
        if let Some(problem) = own_git::why_foreign(&work_tree.join(".git")) {
            return Err(HistoryError::repository(work_tree, problem));
        }
        let Ok(inside) = root.strip_prefix(work_tree) else { return Ok(None) };
        let inside = with_slashes(&inside.to_string_lossy()).into_owned();
        let prefix = inside.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if !plain_files::are_plain(&work_tree.join(".git")) {
            return Err(HistoryError::repository(work_tree, "a file of it is no regular file"));
        }
        let open = || {
            let limit = format!("gitoxide.objects.allocLimit={MAX_OBJECT_BYTES}");
            let options = gix::open::Options::isolated().config_overrides([limit]);
            options.open(work_tree).map(|repository| repository.to_thread_local())
        };
        let opened =
            guarded(work_tree, || open().map_err(|error| HistoryError::repository(work_tree, error)));
        let mut git = opened?;
        git.object_cache_size(OBJECT_CACHE_BYTES);
        Ok(Some(Self { git, work_tree: work_tree.to_path_buf(), prefix }))
    }

    /// The commit that is checked out; `None` before the first one.
    pub fn head(&self) -> Result<Option<CommitId>, HistoryError> {
        self.guarded(|| {
            let head = self.git.head().map_err(|error| self.error(error))?;
            if head.is_unborn() {
                return Ok(None);
            }
            // The object itself is read by `object` alone, which does not wait for pipes.
            let detached = head.id().map(gix::Id::detach);
            let id = match head.try_into_referent() {
                Some(mut branch) => branch.follow_to_object().map_err(|error| self.error(error))?.detach(),
                None => detached.ok_or_else(|| self.error("its HEAD names no commit"))?,
            };
            Ok(CommitId::from_bytes(id.as_slice()))
        })
    }

    /// The commit that a branch, a tag or an abbreviated id names.
    pub fn resolve(&self, revision: &str) -> Result<CommitId, HistoryError> {
        let unknown = || HistoryError::UnknownRevision { revision: revision.to_owned() };
        self.guarded(|| {
            let id = self.git.rev_parse_single(BStr::new(revision)).map_err(|_| unknown())?;
            let commit = id.object().ok().and_then(|object| object.peel_to_commit().ok());
            commit.and_then(|commit| CommitId::from_bytes(commit.id.as_slice())).ok_or_else(unknown)
        })
    }

    /// The address of a remote, as the repository's own configuration writes it.
    pub fn remote_url(&self, remote: &str) -> Option<String> {
        let key = format!("remote.{remote}.url");
        self.guarded(|| Ok(self.git.config_snapshot().string(key.as_str()).map(|url| url.to_string())))
            .ok()
            .flatten()
    }

    /// Where in the repository the project lies, with `/`; empty for the whole of it.
    pub fn folder(&self) -> String {
        self.prefix.join("/")
    }

    /// Whether the clone has only the latest part of the history.
    pub fn is_shallow(&self) -> bool {
        self.guarded(|| Ok(self.git.is_shallow().unwrap_or(false))).unwrap_or(false)
    }

    pub(crate) fn error(&self, error: impl std::fmt::Display) -> HistoryError {
        HistoryError::repository(&self.work_tree, error)
    }

    pub(crate) fn guarded<T>(
        &self,
        read: impl FnOnce() -> Result<T, HistoryError>,
    ) -> Result<T, HistoryError> {
        guarded(&self.work_tree, read)
    }

    /// The bytes of an object of the kind that is expected; `None` for one that is missing, damaged or too large.
    pub(crate) fn object(&self, id: ObjectId, kind: gix::objs::Kind) -> Option<Vec<u8>> {
        if !plain_files::is_plain_object(self.git.objects.store_ref().path(), &id.to_string()) {
            return None;
        }
        let mut object = self.git.try_find_object(id).ok()??;
        (object.kind == kind).then(|| std::mem::take(&mut object.data))
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
