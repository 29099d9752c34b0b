//! Finds the worktrees that are linked to a repository (`git worktree add`).

use std::fs;
use std::path::{Path, PathBuf};

use vectorcode_core::{canonical, is_bare_repository};

use crate::git_files;
use crate::git_folders::{GitFolders, work_tree_around};

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
    let (work_tree, folders) = folders_around(&root)?;
    if folders.git == folders.common {
        return None;
    }
    let name = folders.git.file_name()?.to_str()?.to_owned();
    let inside = root.strip_prefix(work_tree).ok()?;
    let main = main_work_tree(&folders.common)?;
    let is_bare = main == folders.common;
    (!is_bare || inside.as_os_str().is_empty()).then(|| LinkedWorktree { name, main: main.join(inside) })
}

/// The names of the existing worktrees that are linked to the repository which contains `root`.
pub fn linked_worktrees(root: &Path) -> Vec<String> {
    let found = canonical(root).ok().and_then(|root| folders_around(&root).map(|(_, folders)| folders));
    let entries = found.and_then(|folders| fs::read_dir(folders.common.join("worktrees")).ok());
    let entries = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let is_there = |folder: &PathBuf| {
        let dot_git = git_files::first_line(folder, "gitdir").ok().flatten();
        dot_git.is_some_and(|dot_git| folder.join(dot_git).exists())
    };
    entries.filter(is_there).filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned())).collect()
}

fn folders_around(root: &Path) -> Option<(&Path, GitFolders)> {
    let work_tree = work_tree_around(root)?;
    Some((work_tree, GitFolders::of(work_tree).ok()?))
}

fn main_work_tree(common: &Path) -> Option<PathBuf> {
    if is_bare_repository(common) {
        return Some(common.to_path_buf());
    }
    let main = common.parent()?;
    let is_here = GitFolders::of(main).is_ok_and(|folders| folders.git == *common);
    is_here.then(|| main.to_path_buf())
}
