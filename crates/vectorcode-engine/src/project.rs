//! Where a project is, and where its index lives inside it.

use std::path::{Component, Path, PathBuf};

use vectorcode_core::canonical;

use crate::EngineError;

/// A directory that is or can be indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    pub const DIRECTORY: &'static str = ".vectorcode";

    /// Takes `path` itself as the root.
    pub fn at(path: &Path) -> Result<Self, EngineError> {
        let root = canonical(path).map_err(EngineError::io("open", path))?;
        if !root.is_dir() {
            let source = std::io::Error::from(std::io::ErrorKind::NotADirectory);
            return Err(EngineError::Io { action: "open", path: root, source });
        }
        Ok(Self { root })
    }

    /// Walks up from `path` to the nearest directory that holds `.vectorcode`, else `.git`; else `path` itself.
    pub fn find(path: &Path) -> Result<Self, EngineError> {
        let start = Self::at(path)?;
        let with = |marker: &str| start.root.ancestors().find(|dir| dir.join(marker).exists());
        let root = with(Self::DIRECTORY).or_else(|| with(".git")).unwrap_or(&start.root);
        Ok(Self { root: root.to_path_buf() })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder's name, for people.
    pub fn name(&self) -> String {
        self.root
            .file_name()
            .map_or_else(|| self.root.display().to_string(), |n| n.to_string_lossy().into_owned())
    }

    pub fn directory(&self) -> PathBuf {
        self.root.join(Self::DIRECTORY)
    }

    pub fn database(&self) -> PathBuf {
        self.directory().join("index.db")
    }

    pub fn config_file(&self) -> PathBuf {
        self.directory().join("config.toml")
    }

    pub fn is_indexed(&self) -> bool {
        self.database().exists()
    }

    /// The path as the index knows it: relative to the root, with `/`. Refuses what lies outside.
    pub fn relative(&self, path: &Path) -> Result<String, EngineError> {
        let outside = || EngineError::OutsideProject { path: path.to_path_buf(), root: self.root.clone() };
        let absolute = normalised(&self.root.join(path)).ok_or_else(outside)?;
        let below_root = |path: &Path| Some(path.strip_prefix(&self.root).ok()?.to_path_buf());
        // The root may have been named through a link or, on Windows, in letters of the other case.
        let below = below_root(&absolute).or_else(|| below_root(&canonical(&absolute).ok()?));
        let below = below.ok_or_else(outside)?;
        let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
        Ok(parts.ok_or_else(outside)?.join("/"))
    }

    pub fn absolute(&self, relative: &str) -> PathBuf {
        relative.split('/').fold(self.root.clone(), |path, part| path.join(part))
    }
}

/// Resolves `.` and `..` by name alone, so that paths of deleted files work too; `None` when it climbs past `/`.
fn normalised(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => out.pop().then_some(())?,
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_index_wins_over_the_repository() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("packages/api/src");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::create_dir_all(dir.path().join(".git")).unwrap();
        let root = |path: &Path| Project::find(path).unwrap().root().to_path_buf();
        let canonical = canonical(dir.path()).unwrap();
        assert_eq!(root(&inner), canonical);
        std::fs::create_dir_all(dir.path().join("packages/api/.vectorcode")).unwrap();
        assert_eq!(root(&inner), canonical.join("packages/api"));
    }

    #[test]
    fn relative_paths_are_confined_to_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::at(dir.path()).unwrap();
        assert_eq!(project.relative(Path::new("src/./a/../b.rs")).unwrap(), "src/b.rs");
        assert_eq!(project.relative(&project.root().join("x.py")).unwrap(), "x.py");
        assert!(project.relative(Path::new("../outside.rs")).is_err());
        assert!(project.relative(Path::new("/etc/passwd")).is_err());
    }

    #[cfg(unix)] // Making a link needs a privilege on Windows.
    #[test]
    fn the_root_may_be_named_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("real")).unwrap();
        std::fs::write(dir.path().join("real/a.rs"), "").unwrap();
        std::os::unix::fs::symlink(dir.path().join("real"), dir.path().join("link")).unwrap();
        let project = Project::at(&dir.path().join("real")).unwrap();
        assert_eq!(project.relative(&dir.path().join("link/a.rs")).unwrap(), "a.rs");
    }
}
