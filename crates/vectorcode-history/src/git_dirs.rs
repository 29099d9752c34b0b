//! Finds the git data of a worktree, and checks that it belongs to that worktree.
//!
//! A project can contain a `.git` that points to another repository of the user: a symbolic link, a `.git` file like those of
//! worktrees and submodules, or a `commondir` file. The commits of that repository would be shown as the project's, and sent to
//! the embedding provider. So links are not followed, and a repository elsewhere is only accepted if it names this directory, in
//! `worktrees/NAME/gitdir` or with `core.worktree`, which requires write access to that repository.

use std::fs;
use std::path::{Path, PathBuf};

use vectorcode_core::private_files::{is_own, owner};
use vectorcode_core::{Links, canonical, is_bare_repository, read_bounded_regular_file};

use crate::git_files::{first_line, has_content};
use crate::refusal::Refusal;
use crate::settings;

const MAX_GIT_FILE_BYTES: u64 = 4_096;

/// The folders of a repository. Both paths are canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GitDirs {
    /// The data that each worktree has for itself: `HEAD`.
    pub git_dir: PathBuf,
    /// The data that worktrees share: objects, references and settings. The same folder in a plain clone.
    pub common_dir: PathBuf,
}

/// Whether there is a `.git` that belongs to the user, the administrator or the owner of the project. One that another user left
/// in a parent directory does not count, as with git's `safe.directory`.
fn is_marked(directory: &Path, root: &Path) -> bool {
    let is_bare = directory == root && is_bare_repository(directory);
    let marker = if is_bare { directory.join("HEAD") } else { directory.join(".git") };
    let Ok(found) = fs::symlink_metadata(marker) else { return false };
    let owner_of_root = || fs::metadata(root).ok().and_then(|root| owner(&root));
    is_own(&found) || owner(&found) == Some(0) || owner(&found) == owner_of_root()
}

/// The nearest directory at or above a canonical `root` that has such a `.git`.
pub(crate) fn worktree_around(root: &Path) -> Option<&Path> {
    root.ancestors().find(|folder| is_marked(folder, root))
}

impl GitDirs {
    /// Finds the folders for a canonical directory that contains a `.git`, or is a bare repository.
    pub fn of(worktree: &Path) -> Result<Self, Refusal> {
        if is_bare_repository(worktree) {
            check_alone(worktree)?;
            return Ok(Self { git_dir: worktree.to_path_buf(), common_dir: worktree.to_path_buf() });
        }
        let dot_git = worktree.join(".git");
        let found = fs::symlink_metadata(&dot_git).map_err(|error| Refusal::new(error.to_string()))?;
        if found.is_symlink() {
            return Err(Refusal::new("its .git is a symbolic link"));
        }
        let git_dir = if found.is_dir() { dot_git.clone() } else { named_by(&dot_git)? };
        let git_dir = canonical(&git_dir).map_err(|_| Refusal::new("its .git names no repository"))?;
        let common_dir = if found.is_file() && is_worktree(&git_dir, &dot_git)? {
            git_dir.ancestors().nth(2).unwrap_or(&git_dir).to_path_buf()
        } else {
            check_alone(&git_dir)?;
            if found.is_file() && !names_worktree(&git_dir, worktree)? {
                return Err(Refusal::new(
                    "its .git names a repository that does not name this directory (core.worktree)",
                ));
            }
            git_dir.clone()
        };
        Ok(Self { git_dir, common_dir })
    }
}

/// The directory that a `.git` file names.
fn named_by(dot_git: &Path) -> Result<PathBuf, Refusal> {
    let text = read_bounded_regular_file(dot_git, MAX_GIT_FILE_BYTES, Links::Refuse)
        .map_err(|error| Refusal::new(format!("its .git is {error}")))?;
    let text = String::from_utf8_lossy(&text);
    let named = text.lines().next().and_then(|line| line.strip_prefix("gitdir:")).map(str::trim);
    let (Some(named), Some(folder)) = (named.filter(|path| !path.is_empty()), dot_git.parent()) else {
        return Err(Refusal::new("its .git names no repository"));
    };
    Ok(folder.join(named))
}

/// Whether this is a worktree's folder in its main repository, and that worktree contains `dot_git`.
fn is_worktree(git_dir: &Path, dot_git: &Path) -> Result<bool, Refusal> {
    let Some(named) = first_line(git_dir, "gitdir")? else { return Ok(false) };
    let is_here =
        canonical(&git_dir.join(named)).is_ok_and(|named| canonical(dot_git).is_ok_and(|here| named == here));
    let main = git_dir.parent().filter(|parent| parent.ends_with("worktrees")).and_then(Path::parent);
    let shared = first_line(git_dir, "commondir")?.and_then(|path| canonical(&git_dir.join(path)).ok());
    if !is_here {
        return Err(Refusal::new("its .git names a worktree of another directory"));
    }
    // A forged folder can name any repository. Git's own folder is inside the repository that it names.
    if shared.is_none() || shared.as_deref() != main {
        return Err(Refusal::new("its .git names a worktree that is not in its main repository"));
    }
    Ok(true)
}

/// Only the folders of worktrees may share the data of another one.
fn check_alone(git_dir: &Path) -> Result<(), Refusal> {
    if fs::symlink_metadata(git_dir.join("commondir")).is_ok() {
        return Err(Refusal::leads_outside("commondir"));
    }
    Ok(())
}

/// Whether the repository names this directory, as those of submodules and of `--separate-git-dir` do.
fn names_worktree(git_dir: &Path, worktree: &Path) -> Result<bool, Refusal> {
    if !has_content(git_dir, "HEAD") {
        return Err(Refusal::new("its .git names no repository"));
    }
    let named = settings::value(git_dir, "core.worktree")?;
    Ok(named.and_then(|path| canonical(&git_dir.join(path)).ok()).is_some_and(|path| path == worktree))
}
