//! Which directory is a project's root, and whether its index can be kept inside it.
//!
//! The root decides what is indexed and whose settings count, so nothing that another user put somewhere above may decide
//! it, and neither the home directory nor a whole disk becomes a project by accident.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use vectorcode_core::canonical;
use vectorcode_core::private_files::{is_own, is_root_user, is_writable, owner};

use crate::project::index_store;

/// Both mark a root: a directory of ours, and git's, which is a file in worktrees and submodules.
pub(crate) const PROJECT_DIRECTORY: &str = ".vectorcode";
const GIT: &str = ".git";

/// The nearest directory from `start` upwards that holds `.vectorcode` or `.git`; `start` itself where none does.
/// `start` is canonical.
pub(crate) fn find(start: &Path) -> PathBuf {
    marked(start).unwrap_or_else(|| start.to_path_buf())
}

/// The nearest directory from `start` upwards that holds a marker, if one does.
pub(crate) fn marked(start: &Path) -> Option<PathBuf> {
    let owners = Owners::around(start);
    let is_root = |directory: &&Path| too_wide(directory).is_none() && is_marked(directory, &owners);
    start.ancestors().find(is_root).map(Path::to_path_buf)
}

/// Why a directory that a program names, and no person at a terminal, does not become a project. `trusted` is the root of
/// one that the user chose.
pub(crate) fn refusal(root: &Path, trusted: &Path) -> Option<&'static str> {
    let home = std::env::home_dir().and_then(|home| canonical(&home).ok());
    let contains_home = || home.as_ref().is_some_and(|home| home.starts_with(root));
    too_wide(root)
        .or_else(|| contains_home().then_some("a directory around your home directory"))
        .or_else(|| (!is_trusted_owner(root, trusted)).then_some("a directory of another user"))
}

/// Root in the tree of another user, as in a container, may name other trees of that user.
fn is_trusted_owner(root: &Path, trusted: &Path) -> bool {
    fs::metadata(root).is_ok_and(|found| Owners::around(trusted).count(&found))
}

fn is_marked(directory: &Path, owners: &Owners) -> bool {
    let found =
        |name: &str| fs::symlink_metadata(directory.join(name)).ok().filter(|found| owners.count(found));
    found(PROJECT_DIRECTORY).is_some_and(|found| found.is_dir())
        || found(GIT).is_some_and(|found| found.is_dir() || found.is_file())
}

/// Why a directory is too wide to become a project without the user saying so.
pub(crate) fn too_wide(root: &Path) -> Option<&'static str> {
    if root.parent().is_none() {
        return Some("the root of a file system");
    }
    let home = std::env::home_dir().and_then(|home| canonical(&home).ok());
    (home.as_deref() == Some(root)).then_some("your home directory")
}

/// Whose markers count. Git draws the same line (`safe.directory`): what another user left in a shared directory does not.
struct Owners {
    /// For root, as in a container: the owner of the tree that it works in.
    of_start: Option<u32>,
}

impl Owners {
    fn around(start: &Path) -> Self {
        Self { of_start: fs::metadata(start).ok().and_then(|found| owner(&found)).filter(|_| is_root_user()) }
    }

    /// The administrator's files count too: the system's own source trees belong to nobody else.
    fn count(&self, found: &Metadata) -> bool {
        is_own(found) || owner(found) == Some(0) || self.of_start.is_some() && owner(found) == self.of_start
    }
}

/// Why an index cannot be kept in the project. The user's cache directory takes it then.
pub(crate) fn why_not_inside(root: &Path) -> Option<&'static str> {
    const FOREIGN: Option<&str> = Some("belongs to another user");
    const READ_ONLY: Option<&str> = Some("cannot be written to");
    let directory = root.join(PROJECT_DIRECTORY);
    match fs::symlink_metadata(&directory) {
        Ok(found) if !is_own(&found) && owner(&found) != Some(0) => FOREIGN,
        // An index that is there answers, even where it cannot be brought up to date.
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

/// Whether an index can be made in the project, or written to.
pub(super) fn can_write_inside(root: &Path) -> bool {
    let directory = root.join(PROJECT_DIRECTORY);
    let place = if directory.exists() { &directory } else { root };
    why_not_inside(root).is_none() && is_writable(place)
}

/// Where the index of a project goes that cannot keep it itself.
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
        assert_eq!(find(&inner), top.join("packages/api"), "a worktree or submodule is a project of its own");
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
            return; // Only root can give files away.
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
