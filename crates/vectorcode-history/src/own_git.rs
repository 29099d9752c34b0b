//! Whether the `.git` of a directory is its own.
//!
//! A project can bring a `.git` that leads to another repository of the user: a symbolic link, or a file as worktrees and
//! submodules have one. The commits of that repository would be shown as the project's, and sent to the provider of vectors.
//! So links are not followed, and a file counts only where the repository that it names knows this directory.

use std::fs;
use std::path::Path;

use vectorcode_core::canonical;
use vectorcode_core::private_files::{is_own, owner};

use crate::plain_files::{first_line, git_directory};

/// Whether a `.git` is there that the user, the administrator or the owner of the project has put there. What another user
/// left in a directory above does not count, as with git's `safe.directory`.
pub(crate) fn is_marked(directory: &Path, root: &Path) -> bool {
    let Ok(found) = fs::symlink_metadata(directory.join(".git")) else { return false };
    let owner_of_root = || fs::metadata(root).ok().and_then(|root| owner(&root));
    is_own(&found) || owner(&found) == Some(0) || owner(&found) == owner_of_root()
}

/// Why the `.git` is not the one of the directory that holds it.
pub(crate) fn why_foreign(dot_git: &Path) -> Option<&'static str> {
    let found = fs::symlink_metadata(dot_git).ok()?;
    if found.is_symlink() {
        return Some("its .git is a symbolic link");
    }
    // A file that names no repository is refused when it is opened.
    let git = git_directory(dot_git).and_then(|git| canonical(&git).ok()).filter(|_| found.is_file())?;
    let is_known = names_worktree(&git, dot_git) || is_inside_repository_above(&git, dot_git);
    (!is_known).then_some("its .git names a repository that does not know this directory")
}

/// The directory of a worktree in the repository has the path of the worktree's `.git`.
fn names_worktree(git: &Path, dot_git: &Path) -> bool {
    let named = first_line(&git.join("gitdir")).and_then(|path| canonical(&git.join(path)).ok());
    named.is_some() && named == canonical(dot_git).ok()
}

/// The repository of a submodule is kept in that of the project around it.
fn is_inside_repository_above(git: &Path, dot_git: &Path) -> bool {
    let above = dot_git.ancestors().skip(2).filter_map(|directory| canonical(&directory.join(".git")).ok());
    above.filter(|above| above.is_dir()).any(|above| git != above && git.starts_with(&above))
}
