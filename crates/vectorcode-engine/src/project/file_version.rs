//! Detects that a file has changed, without reading it.

use std::path::Path;
use std::time::SystemTime;

/// The modification time and size of a file: at least one changes when the file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileVersion {
    pub modified: SystemTime,
    pub bytes: u64,
}

impl FileVersion {
    /// `None` for a file that does not exist.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(Self { modified: metadata.modified().ok()?, bytes: metadata.len() })
    }
}
