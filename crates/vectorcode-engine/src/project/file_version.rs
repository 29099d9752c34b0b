//! Tells whether a file has changed without reading it.

use std::path::Path;
use std::time::SystemTime;

/// What changes when a file is written: its time and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileVersion {
    pub modified: SystemTime,
    pub bytes: u64,
}

impl FileVersion {
    /// `None` for a file that is not there.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(Self { modified: metadata.modified().ok()?, bytes: metadata.len() })
    }
}
