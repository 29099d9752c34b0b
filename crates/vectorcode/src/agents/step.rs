//! A planned change to one file, which can be shown as a diff or applied.

use std::path::{Path, PathBuf};

use super::error::AgentError;
use super::file::UserFile;
use super::unified_diff::unified_diff;

/// What happened to a file, or would happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Added,
    Updated,
    Unchanged,
    Removed,
    Absent,
}

impl Verb {
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Absent => "absent",
        }
    }
}

#[derive(Debug)]
pub struct Step {
    file: UserFile,
    verb: Verb,
    action: Action,
}

#[derive(Debug)]
enum Action {
    Nothing,
    Write {
        bytes: Vec<u8>,
        backup: Backup,
    },
    /// Remove the file and the parent directories that become empty, below `stop`.
    Remove {
        stop: PathBuf,
    },
}

/// What to do with the backup next to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backup {
    /// Write a new backup, even if there is an older one: that one is from before an earlier installation.
    Renew,
    Leave,
    /// Delete the backup, because the file has its original content again.
    Drop,
}

impl Step {
    pub fn nothing(file: UserFile, verb: Verb) -> Self {
        Self { file, verb, action: Action::Nothing }
    }

    pub fn write(file: UserFile, verb: Verb, bytes: Vec<u8>, backup: Backup) -> Self {
        Self { file, verb, action: Action::Write { bytes, backup } }
    }

    pub fn remove(file: UserFile, stop: &Path) -> Self {
        Self { file, verb: Verb::Removed, action: Action::Remove { stop: stop.to_owned() } }
    }

    pub fn verb(&self) -> Verb {
        self.verb
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    pub fn apply(&self) -> Result<(), AgentError> {
        match &self.action {
            Action::Nothing => Ok(()),
            Action::Remove { stop } => self.file.remove(stop),
            Action::Write { bytes, backup } => {
                if *backup == Backup::Renew {
                    self.file.keep_backup()?;
                }
                self.file.write(bytes)?;
                if *backup == Backup::Drop { self.file.drop_backup() } else { Ok(()) }
            }
        }
    }

    /// The change as a unified diff under `name`, or `None` if nothing changes.
    pub fn diff(&self, name: &str) -> Result<Option<String>, AgentError> {
        let after = match &self.action {
            Action::Nothing => return Ok(None),
            Action::Remove { .. } => String::new(),
            Action::Write { bytes, .. } => String::from_utf8_lossy(bytes).into_owned(),
        };
        let after = after.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let before = self.file.text()?;
        let (old, new) = (self.old_name(name), self.new_name(name));
        Ok(Some(unified_diff([&old, &new], before.body(), &after)))
    }

    fn old_name(&self, name: &str) -> String {
        if self.file.exists() { name.to_owned() } else { "/dev/null".to_owned() }
    }

    fn new_name(&self, name: &str) -> String {
        if matches!(self.action, Action::Remove { .. }) { "/dev/null".to_owned() } else { name.to_owned() }
    }
}
