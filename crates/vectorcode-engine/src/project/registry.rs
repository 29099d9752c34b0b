//! The list of a user's indexed projects: one small file, replaced atomically under a lock.
//!
//! Any number of processes may read and change it at once. A process that is killed leaves either the old list or the
//! new one behind, and its lock is released.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use vectorcode_core::CancelToken;
use vectorcode_core::private_files::{self, Links};
use vectorcode_store::FileLock;

use crate::error::EngineError;

/// Changing the list takes milliseconds; a process that holds the lock longer is suspended or stuck.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const LOCK_NAME: &str = "projects.lock";
const VERSION: u32 = 1;

/// A registered project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProjectEntry {
    /// Unique in the list.
    pub name: String,
    pub root: PathBuf,
}

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
struct RegistryFile {
    version: u32,
    projects: Vec<ProjectEntry>,
}

/// The list, stored in one file that need not exist yet.
#[derive(Clone, Debug)]
pub(crate) struct Registry {
    file: PathBuf,
}

impl Registry {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// All entries, sorted by name.
    pub(crate) fn entries(&self) -> Result<Vec<ProjectEntry>, EngineError> {
        let text = match vectorcode_core::read_config_file(&self.file) {
            Ok(text) => text,
            // In a sandbox, the user's directory may be a file or not exist.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Vec::new());
            }
            Err(error) => return Err(EngineError::io("read", &self.file)(error)),
        };
        let contents: RegistryFile = serde_json::from_str(&text)
            .map_err(|error| EngineError::Registry { path: self.file.clone(), message: error.to_string() })?;
        Ok(contents.projects)
    }

    /// Adds a root under a unique name, unless it is already listed.
    pub(crate) fn register(&self, root: &Path) -> Result<(), EngineError> {
        let is_known = |entries: &[ProjectEntry]| entries.iter().any(|entry| entry.root == root);
        if self.entries().is_ok_and(|entries| is_known(&entries)) {
            return Ok(());
        }
        self.change(|entries| {
            if !is_known(entries) {
                let name = free_name(root, entries);
                // The name may be taken over from a root that no longer exists.
                entries.retain(|entry| entry.name != name);
                entries.push(ProjectEntry { name, root: root.to_path_buf() });
            }
        })
    }

    pub(crate) fn unregister(&self, root: &Path) -> Result<(), EngineError> {
        self.change(|entries| entries.retain(|entry| entry.root != root))
    }

    /// Drops every root that no longer exists, and returns the dropped entries.
    pub(crate) fn prune(&self) -> Result<Vec<ProjectEntry>, EngineError> {
        self.change(|entries| {
            let (there, gone) = entries.drain(..).partition(|entry| entry.root.is_dir());
            *entries = there;
            gone
        })
    }

    /// Reads, changes and replaces the list under its lock.
    fn change<T>(&self, change: impl FnOnce(&mut Vec<ProjectEntry>) -> T) -> Result<T, EngineError> {
        let _lock = self.lock()?;
        let mut entries = self.entries().or_else(|error| self.set_aside(error))?;
        let outcome = change(&mut entries);
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let contents = RegistryFile { version: VERSION, projects: entries };
        let text = serde_json::to_vec_pretty(&contents).expect("names and paths are always JSON");
        private_files::replace(&self.file, &text).map_err(EngineError::io("write", &self.file))?;
        Ok(outcome)
    }

    /// A damaged list must not keep projects from registering, so a new one is started. The old file is kept next to
    /// it.
    fn set_aside(&self, error: EngineError) -> Result<Vec<ProjectEntry>, EngineError> {
        if !matches!(error, EngineError::Registry { .. }) {
            return Err(error);
        }
        let aside = self.file.with_extension("json.damaged");
        tracing::warn!(%error, kept = %aside.display(), "the list of projects was damaged; a new one is started");
        std::fs::rename(&self.file, &aside).map_err(EngineError::io("rename", &self.file))?;
        Ok(Vec::new())
    }

    /// Released by the operating system when the handle is closed, however the process ends.
    fn lock(&self) -> Result<FileLock, EngineError> {
        let directory = self.file.parent().unwrap_or(Path::new(""));
        private_files::create_directory(directory, Links::Follow)
            .map_err(EngineError::io("create", directory))?;
        match FileLock::wait(&directory.join(LOCK_NAME), &CancelToken::expiring(LOCK_TIMEOUT)) {
            // The lock's own error message speaks of the index.
            Err(error) if error.is_locked() => {
                Err(EngineError::io("lock", &self.file)(ErrorKind::TimedOut.into()))
            }
            lock => Ok(lock?),
        }
    }
}

/// One project's entry in the registry. Without a registry nothing is recorded.
#[derive(Debug)]
pub(crate) struct Registration {
    registry: Option<Registry>,
    root: PathBuf,
    /// Whether this process has added the project since it was last removed.
    is_added: AtomicBool,
}

impl Registration {
    pub(crate) fn new(registry: Option<PathBuf>, root: &Path) -> Self {
        Self {
            registry: registry.map(Registry::new),
            root: root.to_path_buf(),
            is_added: AtomicBool::new(false),
        }
    }

    /// Adds the project, once per index. The index works without it, so a failure is only logged.
    pub(crate) fn add(&self) {
        let Some(registry) = &self.registry else { return };
        if self.is_added.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Err(error) = registry.register(&self.root) {
            tracing::warn!(%error, "the project was not added to the list of projects");
        }
    }

    /// Called when the index is deleted, and its entry with it: the next index adds it again.
    pub(crate) fn forget(&self) {
        self.is_added.store(false, Ordering::Relaxed);
    }

    pub(crate) fn remove(&self) -> Result<(), EngineError> {
        self.forget();
        self.registry.as_ref().map_or(Ok(()), |registry| registry.unregister(&self.root))
    }
}

/// The folder's name, with a number appended if another project already uses it.
fn free_name(root: &Path, entries: &[ProjectEntry]) -> String {
    let is_taken = |name: &str| entries.iter().any(|entry| entry.name == name && entry.root.is_dir());
    let folder = root.file_name().map_or_else(|| "root".into(), |name| name.to_string_lossy());
    // Commas separate names in a selection, and a colon separates a name from a path in results.
    let base = folder.replace([',', ':', '/', '\\'], "-");
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(dir: &Path) -> Registry {
        Registry::new(dir.join("data/projects.json"))
    }

    fn folder(dir: &Path, name: &str) -> PathBuf {
        let path = dir.join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    fn names(registry: &Registry) -> Vec<String> {
        registry.entries().unwrap().into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn names_are_folder_names_made_unique() {
        let dir = tempfile::tempdir().unwrap();
        let registry = registry(dir.path());
        for name in ["one/api", "two/api", "web", "one/api", "a,b"] {
            registry.register(&folder(dir.path(), name)).unwrap();
        }
        assert_eq!(names(&registry), ["a-b", "api", "api-2", "web"]);
        registry.unregister(&dir.path().join("one/api")).unwrap();
        assert_eq!(names(&registry), ["a-b", "api-2", "web"]);
    }

    #[test]
    fn a_project_that_moved_keeps_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let registry = registry(dir.path());
        registry.register(&folder(dir.path(), "old/api")).unwrap();
        std::fs::remove_dir_all(dir.path().join("old")).unwrap();
        registry.register(&folder(dir.path(), "new/api")).unwrap();
        assert_eq!(names(&registry), ["api"]);
    }

    #[test]
    fn what_is_gone_can_be_pruned() {
        let dir = tempfile::tempdir().unwrap();
        let registry = registry(dir.path());
        registry.register(&folder(dir.path(), "api")).unwrap();
        registry.register(&folder(dir.path(), "web")).unwrap();
        std::fs::remove_dir(dir.path().join("api")).unwrap();
        assert_eq!(registry.prune().unwrap()[0].name, "api");
        assert_eq!(names(&registry), ["web"]);
    }

    #[test]
    fn a_damaged_list_is_set_aside() {
        let dir = tempfile::tempdir().unwrap();
        let registry = registry(dir.path());
        registry.register(&folder(dir.path(), "api")).unwrap();
        std::fs::write(&registry.file, "{ half").unwrap();
        assert!(registry.entries().is_err());
        registry.register(&folder(dir.path(), "web")).unwrap();
        assert_eq!(names(&registry), ["web"]);
        assert!(dir.path().join("data/projects.json.damaged").exists());
    }

    #[test]
    fn many_threads_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let registry = registry(dir.path());
        std::thread::scope(|scope| {
            for number in 0..12 {
                let (registry, root) = (&registry, folder(dir.path(), &format!("p{number}")));
                scope.spawn(move || registry.register(&root).unwrap());
            }
        });
        assert_eq!(names(&registry).len(), 12);
    }
}
