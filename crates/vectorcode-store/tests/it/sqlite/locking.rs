//! Lock files, and directories that cannot be written.

use vectorcode_store::{LockRole, StoreErrorCode, WhenHeld};

use super::child;
use crate::fixture::{code, sqlite};

#[test]
fn a_killed_holder_frees_the_lock() {
    let directory = tempfile::tempdir().unwrap();
    let mut holder = child::start("hold_lock", directory.path());
    let store = sqlite(directory.path());
    assert_eq!(code(store.lock(LockRole::Write, WhenHeld::Fail)), Some(StoreErrorCode::Locked));
    holder.kill().unwrap();
    holder.wait().unwrap();
    store.lock(LockRole::Write, WhenHeld::Fail).unwrap();
}

#[cfg(unix)]
#[test]
fn a_read_only_directory_is_searched_and_says_why_it_is_not_written() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::damage::closed_index;

    let (directory, path) = closed_index();
    let restrict = |mode: u32, of: &Path| fs::set_permissions(of, fs::Permissions::from_mode(mode)).unwrap();
    restrict(0o444, &path);
    restrict(0o555, directory.path());
    let outcome = child::run_without_privileges("use_read_only", directory.path());
    restrict(0o755, directory.path());
    assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
}
