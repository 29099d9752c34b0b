//! Finds the worktrees that are linked to a repository (`git worktree add`).

use std::fs;
use std::path::{Path, PathBuf};

use vectorcode_core::{canonical, is_bare_repository};

use crate::git_dirs::{GitDirs, worktree_around};
use crate::git_files;

/// A project in a linked worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedWorktree {
    /// Git's name for the worktree, which is unique in the repository while the worktree exists.
    pub name: String,
    /// The same folder in the main worktree, or the repository itself if it is bare.
    pub main: PathBuf,
}

/// The linked worktree that contains `root`; `None` for the main worktree and outside of repositories.
pub fn linked_worktree(root: &Path) -> Option<LinkedWorktree> {
    let root = canonical(root).ok()?;
    let (worktree, dirs) = dirs_around(&root)?;
    if dirs.git_dir == dirs.common_dir {
        return None;
    }
    let name = dirs.git_dir.file_name()?.to_str()?.to_owned();
    let inside = root.strip_prefix(worktree).ok()?;
    let main = main_worktree(&dirs.common_dir)?;
    let is_bare = main == dirs.common_dir;
    (!is_bare || inside.as_os_str().is_empty()).then(|| LinkedWorktree { name, main: main.join(inside) })
}

/// The names of the existing worktrees that are linked to the repository which contains `root`.
pub fn linked_worktrees(root: &Path) -> Vec<String> {
    let found = canonical(root).ok().and_then(|root| dirs_around(&root).map(|(_, dirs)| dirs));
    let entries = found.and_then(|dirs| fs::read_dir(dirs.common_dir.join("worktrees")).ok());
    let entries = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let is_there = |folder: &PathBuf| {
        let dot_git = git_files::first_line(folder, "gitdir").ok().flatten();
        dot_git.is_some_and(|dot_git| folder.join(dot_git).exists())
    };
    entries.filter(is_there).filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned())).collect()
}

fn dirs_around(root: &Path) -> Option<(&Path, GitDirs)> {
    let worktree = worktree_around(root)?;
    Some((worktree, GitDirs::of(worktree).ok()?))
}

fn main_worktree(common: &Path) -> Option<PathBuf> {
    if is_bare_repository(common) {
        return Some(common.to_path_buf());
    }
    let main = common.parent()?;
    let is_here = GitDirs::of(main).is_ok_and(|dirs| dirs.git_dir == *common);
    is_here.then(|| main.to_path_buf())
}
