//! Reads the commit history of a repository: commits, their messages and the files that they changed.
//!
//! Only local git data is read, with `gix-odb` for objects; no program is started and nothing is fetched. Paths are relative to
//! the project's root, which may be a folder of the repository.

mod branches;
mod commit_object;
mod compare;
mod error;
mod git_dirs;
mod git_files;
mod git_index;
mod objects;
mod references;
mod refusal;
mod remote;
mod repository;
mod revision;
mod settings;
mod tree_diff;
mod walk;
mod worktrees;

pub use branches::Branches;
pub use compare::FileDiff;
pub use error::HistoryError;
pub use git_index::IndexEntry;
pub use remote::{normalised_remote, remote_name};
pub use repository::Repository;
pub use walk::{KnownCommit, MAX_FILES_PER_COMMIT, Step, Walk};
pub use worktrees::{LinkedWorktree, linked_worktree, linked_worktrees};
