//! Whether the files that opening a repository reads are plain files.
//!
//! `gix` opens them as they come. A named pipe among them, which an unpacked archive can bring along, would be waited for
//! without end.

use std::path::{Path, PathBuf};

use vectorcode_core::{Links, read_bounded_regular_file};

/// What is read of the git directory, and of the one that worktrees share.
const FILES: [&str; 9] = [
    "HEAD",
    "config",
    "config.worktree",
    "packed-refs",
    "shallow",
    "commondir",
    "gitdir",
    "objects/info/alternates",
    "objects/info/commit-graph",
];
/// Symbolic references that lead to each other.
const MAX_REFERENCES: usize = 5;
const MAX_REFERENCE_BYTES: u64 = 4_096;
/// Repositories that were never packed anew have thousands.
const MAX_PACK_FILES: usize = 100_000;

/// Whether all that exists of these files can be read without waiting.
pub(crate) fn are_plain(dot_git: &Path) -> bool {
    let Some(git) = git_directory(dot_git) else { return false };
    let common = first_line(&git.join("commondir")).map(|path| git.join(path));
    let folders = [Some(git.clone()), common];
    let all_plain = |folder: &PathBuf| FILES.iter().all(|file| is_plain_or_absent(&folder.join(file)));
    folders.iter().flatten().all(all_plain)
        && folders.iter().flatten().all(|folder| packs_are_plain(&folder.join("objects")))
        && folders.iter().flatten().all(|folder| reference_is_plain(&git, folder))
}

/// Whether an object can be read without waiting, if it is a file of its own. Names of packs come from their directory, which
/// `gix` lists, and are checked when the repository is opened.
pub(crate) fn is_plain_object(objects: &Path, id: &str) -> bool {
    id.split_at_checked(2).is_none_or(|(folder, name)| is_plain_or_absent(&objects.join(folder).join(name)))
}

/// Whether all packs can be read without waiting.
fn packs_are_plain(objects: &Path) -> bool {
    let Ok(packs) = objects.join("pack").read_dir() else { return true };
    packs.take(MAX_PACK_FILES).flatten().all(|pack| is_plain_or_absent(&pack.path()))
}

/// The directory itself, or the one that the file `.git` of a worktree names.
pub(crate) fn git_directory(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_path_buf());
    }
    let line = first_line(dot_git)?;
    Some(dot_git.parent()?.join(line.strip_prefix("gitdir:")?.trim()))
}

/// Follows `HEAD` to the branch that it names.
fn reference_is_plain(git: &Path, folder: &Path) -> bool {
    let mut name = first_line(&git.join("HEAD")).unwrap_or_default();
    for _ in 0..MAX_REFERENCES {
        let Some(next) = name.strip_prefix("ref:").map(str::trim) else { return true };
        let file = folder.join(next);
        if !is_plain_or_absent(&file) {
            return false;
        }
        name = first_line(&file).unwrap_or_default();
    }
    true
}

fn is_plain_or_absent(path: &Path) -> bool {
    path.metadata().map_or(true, |file| file.is_file() || file.is_dir())
}

pub(crate) fn first_line(path: &Path) -> Option<String> {
    let bytes = read_bounded_regular_file(path, MAX_REFERENCE_BYTES, Links::Follow).ok()?;
    String::from_utf8_lossy(&bytes).lines().next().map(|line| line.trim().to_owned())
}
