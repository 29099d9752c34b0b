//! Whether a folder may be indexed without asking the user.
//!
//! Most folders that are not projects are small, and a first search may index them. A folder with more files than all
//! but the largest projects, and with neither a repository nor a manifest, was rarely meant: `/usr/share`, a backup
//! disk.

use std::path::Path;
use std::sync::atomic::Ordering;

use vectorcode_core::CancelToken;

use super::Engine;
use crate::error::EngineError;

/// A folder with more files needs confirmation, unless it is marked as a project.
const MAX_FILES: usize = 20_000;

/// Files and folders at the top level that mark a project: those of version control, build tools and package
/// managers.
const PROJECT_MARKS: [&str; 30] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".vectorcode",
    ".vectorcodeignore",
    ".gitignore",
    "BUILD.bazel",
    "CMakeLists.txt",
    "Cargo.toml",
    "Gemfile",
    "Makefile",
    "MODULE.bazel",
    "Package.swift",
    "WORKSPACE",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "build.zig",
    "composer.json",
    "configure.ac",
    "deno.json",
    "go.mod",
    "go.work",
    "meson.build",
    "mix.exs",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "setup.py",
];

/// Whether the top level of a folder has a file or folder that marks a project.
pub fn is_marked_project(folder: &Path) -> bool {
    PROJECT_MARKS.iter().any(|mark| folder.join(mark).symlink_metadata().is_ok())
}

impl Engine {
    /// Fails for the first index of a large folder that is not a project, until the user has confirmed it.
    pub fn check_first_index(&self, cancel: &CancelToken) -> Result<(), EngineError> {
        self.project.check_root()?;
        let is_meant = self.project.is_confirmed() || self.first_index_confirmed.load(Ordering::Relaxed);
        if is_meant || self.is_indexed() || is_marked_project(self.project.root()) {
            return Ok(());
        }
        match self.count_files(cancel)? {
            0..=MAX_FILES => Ok(()),
            files => Err(EngineError::LargeFolder { root: self.project.root().to_path_buf(), files }),
        }
    }

    /// Counted once: a server calls this repeatedly, and walking a large folder takes long.
    fn count_files(&self, cancel: &CancelToken) -> Result<usize, EngineError> {
        if let Some(files) = self.files_of_folder.get() {
            return Ok(*files);
        }
        let found = self.scope()?.discover(cancel)?;
        // Files that would be skipped count too: pictures and fonts are no more a project than sources are.
        let left_out: u64 = found.skipped.counts().iter().map(|skipped| skipped.count).sum();
        let files = found.files.len() + left_out as usize;
        Ok(*self.files_of_folder.get_or_init(|| files))
    }

    /// The user has confirmed that this folder should be indexed, however many files it has.
    pub fn confirm_first_index(&self) {
        self.first_index_confirmed.store(true, Ordering::Relaxed);
    }
}
