//! A temporary project directory that lives as long as its test.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use vectorcode_core::canonical;

use crate::fixtures::fixture_path;

/// A directory with files, removed on drop. All paths are relative to its root, with `/`.
#[derive(Debug)]
pub struct TempProject {
    /// Only kept for its `Drop`.
    _directory: TempDir,
    root: PathBuf,
}

impl TempProject {
    pub fn empty() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        // Canonical, because the program under test resolves links in its root (`/tmp` is one on macOS).
        let root = canonical(directory.path()).expect("a directory just made has a canonical path");
        Self { _directory: directory, root }
    }

    pub fn new(files: &[(&str, &str)]) -> Self {
        let project = Self::empty();
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// A copy of a sample project that the test may change.
    pub fn from_fixture(name: &str) -> Self {
        let project = Self::empty();
        copy_tree(&fixture_path(name), &project.root);
        // The questions about a project are not part of it: a search would find them instead of the answers.
        project.remove("queries.json");
        project
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Creates or replaces a file, and creates its parent directories.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        make_parent(&path);
        fs::write(&path, content).unwrap_or_else(|error| panic!("write {}: {error}", path.display()));
    }

    pub fn read(&self, relative: &str) -> String {
        let path = self.path(relative);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()))
    }

    pub fn rename(&self, from: &str, to: &str) {
        let target = self.path(to);
        make_parent(&target);
        fs::rename(self.path(from), target).unwrap_or_else(|error| panic!("rename {from} to {to}: {error}"));
    }

    /// Removes a file, or a directory with everything in it.
    pub fn remove(&self, relative: &str) {
        let path = self.path(relative);
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.unwrap_or_else(|error| panic!("remove {}: {error}", path.display()));
    }
}

fn make_parent(path: &Path) {
    let parent = path.parent().expect("a path inside a project has a parent");
    fs::create_dir_all(parent).unwrap_or_else(|error| panic!("create {}: {error}", parent.display()));
}

fn copy_tree(from: &Path, to: &Path) {
    let entries = fs::read_dir(from).unwrap_or_else(|error| panic!("read {}: {error}", from.display()));
    for entry in entries {
        let entry = entry.unwrap_or_else(|error| panic!("read {}: {error}", from.display()));
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).unwrap_or_else(|error| panic!("create {}: {error}", target.display()));
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target)
                .unwrap_or_else(|error| panic!("copy to {}: {error}", target.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_can_be_written_moved_and_removed() {
        let project = TempProject::new(&[("src/a.rs", "fn a() {}")]);
        project.rename("src/a.rs", "lib/b.rs");
        assert_eq!(project.read("lib/b.rs"), "fn a() {}");
        project.remove("lib");
        assert!(!project.path("lib/b.rs").exists());
    }

    #[test]
    fn nothing_is_left_after_drop() {
        let root = TempProject::from_fixture("sample_rs").root().to_path_buf();
        assert!(!root.exists());
    }
}
