//! Finds the root of a project, and decides whether its index can be kept inside it.
//!
//! The root decides what is indexed and whose settings apply. So markers left by other users in parent directories
//! are ignored, and neither the home directory nor a whole disk becomes a project by accident.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use vectorcode_core::canonical;
use vectorcode_core::private_files::{is_own, is_root_user, is_writable, owner};

use crate::project::index_store;

/// Both mark a root: our directory, and git's, which is a file in worktrees and submodules.
pub(crate) const PROJECT_DIRECTORY: &str = ".vectorcode";
const GIT: &str = ".git";

/// The nearest directory from `start` upwards that holds `.vectorcode` or `.git`; `start` itself if none does.
/// `start` is canonical.
pub(crate) fn find(start: &Path) -> PathBuf {
    marked(start).unwrap_or_else(|| start.to_path_buf())
}

/// The nearest directory from `start` upwards that holds a marker, if any.
pub(crate) fn marked(start: &Path) -> Option<PathBuf> {
    let owners = Owners::around(start);
    let is_root = |directory: &&Path| too_wide(directory).is_none() && is_marked(directory, &owners);
    start.ancestors().find(is_root).map(Path::to_path_buf)
}

/// Why a directory named by a program, not by a person at a terminal, does not become a project. `trusted` is the
/// root of a project that the user chose.
pub(crate) fn refusal(root: &Path, trusted: &Path) -> Option<&'static str> {
    let home = std::env::home_dir().and_then(|home| canonical(&home).ok());
    let contains_home = || home.as_ref().is_some_and(|home| home.starts_with(root));
    too_wide(root)
        .or_else(|| contains_home().then_some("a directory around your home directory"))
        .or_else(|| (!is_trusted_owner(root, trusted)).then_some("a directory of another user"))
}

/// When running as root in another user's tree, as in a container, other trees of that user are trusted too.
fn is_trusted_owner(root: &Path, trusted: &Path) -> bool {
    fs::metadata(root).is_ok_and(|found| Owners::around(trusted).count(&found))
}

fn is_marked(directory: &Path, owners: &Owners) -> bool {
    let found =
        |name: &str| fs::symlink_metadata(directory.join(name)).ok().filter(|found| owners.count(found));
    found(PROJECT_DIRECTORY).is_some_and(|found| found.is_dir())
        || found(GIT).is_some_and(|found| found.is_dir() || found.is_file())
}

/// Why a directory is too wide to become a project without confirmation.
pub(crate) fn too_wide(root: &Path) -> Option<&'static str> {
    if root.parent().is_none() {
        return Some("the root of a file system");
    }
    let home = std::env::home_dir().and_then(|home| canonical(&home).ok());
    (home.as_deref() == Some(root)).then_some("your home directory")
}

/// Whose markers count. The same rule as git's `safe.directory`: what another user left in a shared directory does
/// not.
struct Owners {
    /// Set when running as root, as in a container: the owner of the tree that `start` is in.
    of_start: Option<u32>,
}

impl Owners {
    fn around(start: &Path) -> Self {
        Self { of_start: fs::metadata(start).ok().and_then(|found| owner(&found)).filter(|_| is_root_user()) }
    }

    /// Files owned by root count too: the system's own source trees belong to root.
    fn count(&self, found: &Metadata) -> bool {
        is_own(found) || owner(found) == Some(0) || self.of_start.is_some() && owner(found) == self.of_start
    }
}

/// Why an index cannot be kept in the project. It is then kept in the user's cache directory.
pub(crate) fn why_not_inside(root: &Path) -> Option<&'static str> {
    const FOREIGN: Option<&str> = Some("belongs to another user");
    const READ_ONLY: Option<&str> = Some("cannot be written to");
    let directory = root.join(PROJECT_DIRECTORY);
    match fs::symlink_metadata(&directory) {
        Ok(found) if !is_own(&found) && owner(&found) != Some(0) => FOREIGN,
        // An existing index can be searched, even if it cannot be updated.
        Ok(_) if is_writable(&directory) || index_store::is_in(&directory) => None,
        Ok(_) => READ_ONLY,
        Err(_) if !fs::metadata(root).is_ok_and(|root| is_own(&root)) => FOREIGN,
        Err(_) => {
            if is_writable(root) {
                None
            } else {
                READ_ONLY
            }
        }
    }
}

/// Whether an index can be created or written to in the project.
pub(super) fn can_write_inside(root: &Path) -> bool {
    let directory = root.join(PROJECT_DIRECTORY);
    let place = if directory.exists() { &directory } else { root };
    why_not_inside(root).is_none() && is_writable(place)
}

/// Where the index is kept for a project that cannot hold its own.
pub(crate) fn index_in_cache(root: &Path, cache: &Path) -> PathBuf {
    let key = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    cache.join("projects").join(&key[..32])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(root: &Path, relative: &str) -> PathBuf {
        let path = root.join(relative);
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn the_nearest_marker_wins_whatever_its_kind() {
        let dir = tempfile::tempdir().unwrap();
        let top = canonical(dir.path()).unwrap();
        let inner = folder(&top, "packages/api/src");
        assert_eq!(find(&inner), inner, "without a marker the directory itself");
        folder(&top, ".vectorcode");
        assert_eq!(find(&inner), top);
        folder(&top, "packages/.git");
        assert_eq!(find(&inner), top.join("packages"), "a nearer .git beats a .vectorcode above");
        fs::write(top.join("packages/api/.git"), "gitdir: ../../.git/worktrees/api\n").unwrap();
        assert_eq!(find(&inner), top.join("packages/api"), "a worktree or submodule is its own project");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_or_a_file_is_no_index() {
        let dir = tempfile::tempdir().unwrap();
        let top = canonical(dir.path()).unwrap();
        let inner = folder(&top, "src");
        std::os::unix::fs::symlink(folder(&top, "elsewhere"), top.join(".vectorcode")).unwrap();
        assert_eq!(find(&inner), inner);
    }

    #[cfg(unix)]
    #[test]
    fn markers_of_other_users_do_not_count() {
        use std::os::unix::fs::chown;
        if !is_root_user() {
            return; // Only root can change the owner of a file.
        }
        let dir = tempfile::tempdir().unwrap();
        let top = canonical(dir.path()).unwrap();
        let inner = folder(&top, "project/src");
        chown(folder(&top, ".vectorcode"), Some(12345), None).unwrap();
        chown(folder(&top, "project/.git"), Some(12345), None).unwrap();
        assert_eq!(find(&inner), inner);
        assert_eq!(why_not_inside(&top), Some("belongs to another user"));
        chown(&inner, Some(12345), None).unwrap();
        assert_eq!(find(&inner), top.join("project"), "root in somebody's tree means that tree");
    }

    #[test]
    fn a_disk_and_the_home_directory_are_too_wide() {
        assert!(too_wide(Path::new("/")).is_some() || cfg!(windows));
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(too_wide(&canonical(dir.path()).unwrap()), None);
    }
}
