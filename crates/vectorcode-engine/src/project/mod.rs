//! A project: its root, its settings file, and where its index is kept.

mod commit_files;
pub(crate) mod file;
mod file_version;
pub(crate) mod index_store;
pub(crate) mod registry;
pub(crate) mod root;
pub(crate) mod written_path;

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use vectorcode_core::config::{self, Config, Sources};
use vectorcode_core::private_files::{self, Links};
use vectorcode_core::{EXCLUDE, canonical, with_slashes};
use vectorcode_history::LinkedWorktree;

pub(crate) use self::commit_files::{CommitFiles, FileSource};
pub(crate) use self::file_version::FileVersion;
use crate::error::EngineError;

const GIT_IGNORE_FILE: &str = ".gitignore";
const HOOK_SOCKET: &str = "hooks.sock";
/// Unix limits the path of a socket to 108 bytes on Linux and 104 on macOS, including the final NUL.
const MAX_SOCKET_PATH: usize = 103;
/// Hides our files from `git status` and `git add -A`.
const GIT_IGNORE: &str =
    "# The index is a cache. To commit the settings: git add -f .vectorcode/config.toml\n*\n";
/// The content that earlier versions wrote, which left the folder untracked in every project that was searched.
const FORMER_GIT_IGNORE: &str =
    "# The index is a cache: rebuilt from the sources, not to be committed.\n*\n!.gitignore\n!config.toml\n";

/// A directory that is or can be indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    /// Where the index is kept, and the reason if that is not inside the root.
    index_directory: PathBuf,
    why_elsewhere: Option<&'static str>,
    /// Set for a linked worktree.
    shared_index: Option<SharedIndex>,
    /// The user has confirmed this root, even if it is a home directory or a whole disk.
    confirmed: bool,
}

/// The index of the main worktree, which its linked worktrees share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedIndex {
    pub directory: PathBuf,
    /// git's name for the linked worktree.
    pub checkout: String,
}

impl Project {
    pub const DIRECTORY: &'static str = root::PROJECT_DIRECTORY;

    /// The project with `path` itself as the root.
    pub fn at(path: &Path) -> Result<Self, EngineError> {
        Self::with_root(existing_directory(path)?)
    }

    /// Walks up from `path` to the nearest directory that holds `.vectorcode` or `.git`; falls back to `path` itself.
    pub fn find(path: &Path) -> Result<Self, EngineError> {
        Self::with_root(root::find(&existing_directory(path)?))
    }

    /// Refuses a `.vectorcode` that is a link, so that nothing is read or written through it.
    fn with_root(root: PathBuf) -> Result<Self, EngineError> {
        let directory = root.join(Self::DIRECTORY);
        private_files::check_directory(&directory).map_err(EngineError::io("use", &directory))?;
        Ok(Self {
            root,
            index_directory: directory,
            why_elsewhere: None,
            shared_index: None,
            confirmed: false,
        })
    }

    /// The user wants this root, however wide it is.
    #[must_use]
    pub fn confirmed(self) -> Self {
        Self { confirmed: true, ..self }
    }

    /// The same project, with its index in the user's cache directory if it cannot be kept inside the root.
    #[must_use]
    pub fn with_cache(self, cache: Option<&Path>) -> Self {
        let (Some(why), Some(cache)) = (root::why_not_inside(&self.root), cache) else { return self };
        let index_directory = root::index_in_cache(&self.root, cache);
        Self { index_directory, why_elsewhere: Some(why), ..self }
    }

    /// The same project, with its files in the index of the main worktree if this is a linked one. Both must be
    /// configured with the same provider.
    #[must_use]
    pub fn with_main_worktree(self, config: &Config, settings: &Sources) -> Self {
        let shared = || {
            let LinkedWorktree { name, main } = vectorcode_history::linked_worktree(&self.root)?;
            let main = Self::at(&main).ok().filter(|main| root::can_write_inside(main.root()))?;
            let sources = Sources { project_file: Some(main.config_file()), ..settings.clone() };
            let has_same_provider = settings.project_file.is_none()
                || config::load(&sources).is_ok_and(|main| main.config.provider == config.provider);
            has_same_provider.then_some(SharedIndex { directory: main.index_directory, checkout: name })
        };
        let shared_index = if self.why_elsewhere.is_none() { shared() } else { None };
        Self { shared_index, ..self }
    }

    pub(crate) fn shared_index(&self) -> Option<&SharedIndex> {
        self.shared_index.as_ref()
    }

    /// Says where the index is that this worktree shares.
    pub(crate) fn shared_index_note(&self) -> Option<String> {
        let place = self.shared_index.as_ref()?.directory.display();
        Some(format!("The worktrees of this repository share the index in {place}."))
    }

    /// Refuses to index a home directory or a whole disk that the user has not confirmed.
    pub fn check_root(&self) -> Result<(), EngineError> {
        match root::too_wide(&self.root) {
            Some(what) if !self.confirmed => Err(EngineError::WideRoot { root: self.root.clone(), what }),
            _ => Ok(()),
        }
    }

    /// Whether the user has confirmed this root.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.confirmed
    }

    /// Says where the index is, if it is not in the project directory.
    pub(crate) fn index_place_note(&self) -> Option<String> {
        let why = self.why_elsewhere?;
        let place = self.index_directory.display();
        Some(format!("The index is kept in {place}, because {} {why}.", self.root.display()))
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder's name, for display.
    pub fn name(&self) -> String {
        self.root
            .file_name()
            .map_or_else(|| self.root.display().to_string(), |n| n.to_string_lossy().into_owned())
    }

    /// The project's own directory, with its settings and usually its index.
    pub fn directory(&self) -> PathBuf {
        self.root.join(Self::DIRECTORY)
    }

    /// The directory of the index: [`Self::directory`], or one in the user's cache. If the index is shared, it still
    /// holds the files that belong to this root alone.
    pub fn index_directory(&self) -> &Path {
        &self.index_directory
    }

    /// The commit to use if the user names none: `HEAD` for a bare repository, which has no files on disk.
    pub fn default_revision(&self) -> Option<&'static str> {
        vectorcode_core::is_bare_repository(&self.root).then_some("HEAD")
    }

    /// The socket at which a running server answers the hooks of agents. `None` if its path would be too long for the
    /// operating system.
    pub fn hook_socket(&self) -> Option<PathBuf> {
        let socket = self.index_directory.join(HOOK_SOCKET);
        (socket.as_os_str().len() <= MAX_SOCKET_PATH).then_some(socket)
    }

    /// Deletes the socket that a killed server leaves behind.
    pub(crate) fn delete_hook_socket(&self) {
        let _ = std::fs::remove_file(self.index_directory.join(HOOK_SOCKET));
    }

    /// Creates the directory of the index, accessible to this user only, and hides it from git.
    pub(crate) fn create_directory(&self) -> Result<(), EngineError> {
        if let Some(SharedIndex { directory, .. }) = &self.shared_index {
            create_directory(directory)?;
        }
        create_directory(&self.index_directory)
    }

    /// Deletes the directory of the index, unless it contains anything but our own ignore file.
    pub(crate) fn delete_directory_if_unused(&self) -> Result<(), EngineError> {
        let failed = |error| EngineError::io("delete", &self.index_directory)(error);
        let mut rest = std::fs::read_dir(&self.index_directory).map_err(failed)?;
        if rest.all(|entry| entry.is_ok_and(|entry| entry.file_name() == GIT_IGNORE_FILE)) {
            std::fs::remove_dir_all(&self.index_directory).map_err(failed)?;
        }
        Ok(())
    }

    /// Deletes the project's own directory, including the settings.
    pub(crate) fn delete_directory(&self) -> Result<(), EngineError> {
        match std::fs::remove_dir_all(self.directory()) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            deleted => deleted.map_err(EngineError::io("delete", self.directory())),
        }
    }

    pub fn config_file(&self) -> PathBuf {
        self.directory().join("config.toml")
    }

    /// The path as the index knows it: relative to the root, with `/`. An error for a path outside the root.
    pub fn relative(&self, path: &Path) -> Result<String, EngineError> {
        let outside = || EngineError::OutsideProject { path: path.to_path_buf(), root: self.root.clone() };
        let absolute = normalised(&self.root.join(path)).ok_or_else(outside)?;
        let below_root = |path: &Path| Some(path.strip_prefix(&self.root).ok()?.to_path_buf());
        // The root may have been given through a link or, on Windows, in different letter case.
        let below = below_root(&absolute).or_else(|| below_root(&canonical(&absolute).ok()?));
        let below = below.ok_or_else(outside)?;
        let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
        Ok(parts.ok_or_else(outside)?.join("/"))
    }

    /// A path filter (`/home/ada/app/src/**`, `!/src/`) in the form the index expects: relative to the root. A
    /// leading slash that does not start the root's path stands for the root, as in `.gitignore`.
    pub(crate) fn relative_pattern(&self, pattern: &str) -> String {
        let (mark, path) = match pattern.strip_prefix(EXCLUDE) {
            Some(path) => ("!", path),
            None => ("", pattern),
        };
        let (path, root) = (with_slashes(path.trim()), self.root.to_string_lossy());
        let below =
            path.strip_prefix(&*with_slashes(&root)).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        format!("{mark}{}", below.unwrap_or(&path).trim_start_matches('/'))
    }

    pub fn absolute(&self, relative: &str) -> PathBuf {
        relative.split('/').fold(self.root.clone(), |path, part| path.join(part))
    }
}

fn create_directory(directory: &Path) -> Result<(), EngineError> {
    private_files::create_directory(directory, Links::Refuse)
        .map_err(EngineError::io("create", directory))?;
    private_files::restrict(directory);
    let ignore = directory.join(GIT_IGNORE_FILE);
    match private_files::create_new(&ignore, GIT_IGNORE.as_bytes()) {
        // Anything that exists is left alone, even a dangling link.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            replace_former_ignore_file(&ignore);
            Ok(())
        }
        created => created.map_err(EngineError::io("write", ignore)),
    }
}

/// Updates the ignore file of an earlier version, unless somebody has edited it. A failure is only logged.
fn replace_former_ignore_file(file: &Path) {
    let former = private_files::read_text(file, FORMER_GIT_IGNORE.len() as u64, Links::Refuse);
    if former.is_ok_and(|text| text == FORMER_GIT_IGNORE)
        && let Err(error) = private_files::replace(file, GIT_IGNORE.as_bytes())
    {
        tracing::debug!(%error, "the ignore file of the index stays as it is");
    }
}

fn existing_directory(path: &Path) -> Result<PathBuf, EngineError> {
    let root = canonical(path).map_err(EngineError::io("open", path))?;
    if !root.is_dir() {
        let source = ErrorKind::NotADirectory.into();
        return Err(EngineError::Io { action: "open", path: root, source });
    }
    Ok(root)
}

/// Resolves `.` and `..` lexically, so that paths of deleted files work too; `None` if it climbs past `/`.
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
    fn relative_paths_are_confined_to_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::at(dir.path()).unwrap();
        assert_eq!(project.relative(Path::new("src/./a/../b.rs")).unwrap(), "src/b.rs");
        assert_eq!(project.relative(&project.root().join("x.py")).unwrap(), "x.py");
        assert!(project.relative(Path::new("../outside.rs")).is_err());
        assert!(project.relative(Path::new("/etc/passwd")).is_err());
    }

    #[test]
    fn patterns_are_relative_to_the_root_however_they_are_written() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::at(dir.path()).unwrap();
        let root = project.root().display();
        let other = format!("{root}-other/src");
        for (written, expected) in [
            ("src/".to_owned(), "src/"),
            (format!("{root}/src/**"), "src/**"),
            (format!("!{root}/vendor/"), "!vendor/"),
            (root.to_string(), ""),
            ("/src/".to_owned(), "src/"),
            (other.clone(), with_slashes(&other).trim_start_matches('/')),
        ] {
            assert_eq!(project.relative_pattern(&written), expected, "{written}");
        }
    }

    #[cfg(unix)] // Creating a link needs a privilege on Windows.
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
