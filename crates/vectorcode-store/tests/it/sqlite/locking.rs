//! Tests of lock files and of directories that cannot be written.

#[cfg(unix)]
#[test]
fn a_read_only_directory_is_searched_and_says_why_it_is_not_written() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::damage::closed_index;
    use crate::child;

    let (directory, path) = closed_index();
    let restrict = |mode: u32, of: &Path| fs::set_permissions(of, fs::Permissions::from_mode(mode)).unwrap();
    restrict(0o444, &path);
    restrict(0o555, directory.path());
    let outcome = child::run_without_privileges("use_read_only", directory.path());
    restrict(0o755, directory.path());
    assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
}
