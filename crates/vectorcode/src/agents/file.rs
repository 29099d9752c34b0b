//! A user's file on disk: read once, then backed up, replaced atomically or removed.
//!
//! A symbolic link is kept: the file it points to is changed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use vectorcode_core::private_files::{NewFileMode, replace_as};
use vectorcode_core::{Links, read_bounded_regular_file};

use super::edit::EditError;
use super::error::AgentError;
use super::text::Text;

const BACKUP_SUFFIX: &str = ".vectorcode-backup";
/// Maximum size of an agent's file. It is large because some agents store their history in the same file as their
/// servers.
const MAX_AGENT_FILE_BYTES: u64 = 64 << 20;

#[derive(Debug)]
pub struct UserFile {
    path: PathBuf,
    target: PathBuf,
    bytes: Option<Vec<u8>>,
}

impl UserFile {
    pub fn read(path: PathBuf) -> Result<Self, AgentError> {
        let target = follow_links(&path);
        let bytes = read_if_there(&target)?;
        Ok(Self { path, target, bytes })
    }

    /// The path of the file as the user knows it, with links not resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The error of a file that cannot be edited.
    pub fn refuse(&self, source: EditError) -> AgentError {
        AgentError::Edit { path: self.path.clone(), source }
    }

    pub fn exists(&self) -> bool {
        self.bytes.is_some()
    }

    /// The text of the file. Empty when the file does not exist.
    pub fn text(&self) -> Result<Text, AgentError> {
        self.decode(self.bytes.as_deref().unwrap_or_default())
    }

    /// The file as it was before our first change, if a backup exists.
    pub fn backup(&self) -> Result<Option<Text>, AgentError> {
        let bytes = read_if_there(&self.backup_path())?;
        bytes.map(|bytes| self.decode(&bytes)).transpose()
    }

    /// Writes the current content to a backup next to the file. A file that does not exist needs no backup.
    pub fn keep_backup(&self) -> Result<(), AgentError> {
        let Some(bytes) = &self.bytes else { return Ok(()) };
        let backup = self.backup_path();
        replace_as(&backup, bytes, NewFileMode::Like(&self.target)).map_err(io_error("write", &backup))
    }

    /// Removes the backup when the file has its original content again.
    pub fn drop_backup(&self) -> Result<(), AgentError> {
        let backup = self.backup_path();
        if backup.exists() {
            fs::remove_file(&backup).map_err(io_error("remove", &backup))?;
        }
        Ok(())
    }

    /// Replaces the file atomically: a reader sees either the old text or the new one, never a part.
    pub fn write(&self, bytes: &[u8]) -> Result<(), AgentError> {
        self.check_unchanged()?;
        let failed = || io_error("write", &self.path);
        if let Some(parent) = self.target.parent() {
            fs::create_dir_all(parent).map_err(failed())?;
        }
        let mode = if self.exists() { NewFileMode::Like(&self.target) } else { NewFileMode::Umask };
        replace_as(&self.target, bytes, mode).map_err(failed())
    }

    /// Removes the file, and its parent directories that become empty, up to `stop`.
    pub fn remove(&self, stop: &Path) -> Result<(), AgentError> {
        self.check_unchanged()?;
        fs::remove_file(&self.target).map_err(io_error("remove", &self.path))?;
        let below = |dir: &&Path| *dir != stop && dir.starts_with(stop);
        for dir in self.target.ancestors().skip(1).take_while(below) {
            if fs::remove_dir(dir).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Fails if the file has changed since we read it. Agents rewrite their files while they run, and those changes must not be
    /// lost.
    fn check_unchanged(&self) -> Result<(), AgentError> {
        if read_if_there(&self.target)? == self.bytes {
            Ok(())
        } else {
            Err(AgentError::Changed { path: self.path.clone() })
        }
    }

    fn decode(&self, bytes: &[u8]) -> Result<Text, AgentError> {
        Text::decode(bytes).ok_or_else(|| AgentError::NotText { path: self.path.clone() })
    }

    fn backup_path(&self) -> PathBuf {
        let mut name = self.target.clone().into_os_string();
        name.push(BACKUP_SUFFIX);
        PathBuf::from(name)
    }
}

/// Resolves a chain of links to its target, which need not exist.
fn follow_links(path: &Path) -> PathBuf {
    // The limit of Linux (`MAXSYMLINKS`); a longer chain is a loop.
    const LONGEST_CHAIN: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..LONGEST_CHAIN {
        let Ok(next) = fs::read_link(&target) else { break };
        target = target.parent().map_or_else(|| next.clone(), |parent| parent.join(&next));
    }
    target
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, AgentError> {
    match read_bounded_regular_file(path, MAX_AGENT_FILE_BYTES, Links::Follow) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("read", path)(error)),
    }
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> AgentError {
    let path = path.to_owned();
    move |source| AgentError::Io { action, path, source }
}
