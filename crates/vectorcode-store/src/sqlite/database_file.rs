//! The files of a database: the database itself and its log (`-wal`, `-shm`). Contains every file operation on them that SQLite
//! does not do itself.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use vectorcode_core::private_files;

use crate::StoreError;
use crate::contract::Result;

/// The suffixes of the files that SQLite keeps next to a database.
const LOG: &str = "-wal";
const SHARED_MEMORY: &str = "-shm";

/// Appends to the file name: `index.db` with `-wal` is `index.db-wal`.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Where a new index is built before it is moved to `path`.
pub(super) fn draft_of(path: &Path) -> PathBuf {
    with_suffix(path, ".draft")
}

/// Where a rebuild builds the index that will replace the one at `path`.
pub(super) fn rebuild_of(path: &Path) -> PathBuf {
    with_suffix(path, ".new")
}

/// Whether committed pages may only be in the write-ahead log.
pub(super) fn has_log(path: &Path) -> bool {
    with_suffix(path, LOG).metadata().is_ok_and(|log| log.len() > 0)
}

/// The size of a database and its log.
pub(super) fn bytes(path: &Path) -> u64 {
    let size = |path: &Path| path.metadata().map_or(0, |file| file.len());
    size(path) + size(&with_suffix(path, LOG))
}

/// Deletes the leftovers of a rebuild that was killed.
pub(super) fn remove_unfinished_rebuild(path: &Path) -> Result<()> {
    let rebuild = rebuild_of(path);
    remove(&rebuild)?;
    remove(&draft_of(&rebuild))
}

/// Moves a damaged database and its log to a name that says so, and returns that name. A previously set-aside one is deleted: one
/// is enough to find out what happened, and each is as large as the index.
pub(super) fn set_aside(path: &Path) -> Result<PathBuf> {
    remove_set_aside(path);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis());
    let kept = with_suffix(path, &format!(".damaged-{now}"));
    std::fs::rename(path, &kept).map_err(|error| StoreError::io("move", path, error))?;
    let log = with_suffix(path, LOG);
    if log.exists() {
        std::fs::rename(&log, with_suffix(&kept, LOG))
            .map_err(|error| StoreError::io("move", &log, error))?;
    }
    remove_file(&with_suffix(path, SHARED_MEMORY))?;
    tracing::warn!(path = %path.display(), kept = %kept.display(), "set a damaged index aside");
    Ok(kept)
}

fn remove_set_aside(path: &Path) {
    for kept in files_named(path, ".damaged-").unwrap_or_default() {
        // If it cannot be deleted, it stays: that must not prevent the index from being rebuilt.
        let _ = std::fs::remove_file(kept);
    }
}

/// The files next to `path` whose names start with its file name and `suffix`.
fn files_named(path: &Path, suffix: &str) -> std::io::Result<Vec<PathBuf>> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return Ok(Vec::new()) };
    let prefix = format!("{}{suffix}", name.to_string_lossy());
    let entries = std::fs::read_dir(directory)?.collect::<std::io::Result<Vec<_>>>()?;
    let named = entries.iter().filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
    Ok(named.map(std::fs::DirEntry::path).collect())
}

/// Deletes a database with its log, drafts, unfinished rebuilds, and damaged databases that were set aside.
pub(super) fn remove_with_relatives(path: &Path) -> Result<()> {
    // The database comes first: if it cannot be deleted, because it is open on Windows, the others stay too.
    remove(path)?;
    for suffix in ["-", "."] {
        let files = match files_named(path, suffix) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            files => files.map_err(|error| StoreError::io("list the files next to", path, error))?,
        };
        files.iter().try_for_each(|file| remove_file(file))?;
    }
    Ok(())
}

/// Deletes a database and its log.
pub(super) fn remove(path: &Path) -> Result<()> {
    ["", LOG, SHARED_MEMORY].iter().try_for_each(|suffix| remove_file(&with_suffix(path, suffix)))
}

pub(super) fn remove_file(path: &Path) -> Result<()> {
    private_files::remove_if_there(path).map_err(|error| StoreError::io("delete", path, error))
}

/// Identifies the file at a path, to notice when an index was deleted and created again under a reader. On platforms where an
/// open file cannot be replaced, all identities are equal. The creation time distinguishes files that got the same inode number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileIdentity(u64, u64, Option<SystemTime>);

impl FileIdentity {
    pub(super) fn of(path: &Path) -> Result<Self> {
        // Never by opening it: closing any handle of the file would drop SQLite's locks on it.
        let file = path.metadata().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => StoreError::not_initialized(),
            _ => StoreError::io("read", path, error),
        })?;
        Ok(Self::from_metadata(&file))
    }

    #[cfg(unix)]
    fn from_metadata(file: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(file.dev(), file.ino(), file.created().ok())
    }

    #[cfg(not(unix))]
    fn from_metadata(_: &std::fs::Metadata) -> Self {
        Self(0, 0, None)
    }
}
