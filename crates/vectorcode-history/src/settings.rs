//! The settings of a repository, of which two are read. Files that they include are not, nor those of the user.

use std::path::Path;

use gix_config::{File, file::Metadata, file::init::Options};

use crate::git_files;
use crate::refusal::Refusal;

/// Thousands of branches fit; the parser takes some hundred times as much memory.
const MAX_BYTES: u64 = 256 << 10;

/// The last value of a key in `config.worktree`, or else in `config`, of a git directory.
pub(crate) fn value(git: &Path, key: &str) -> Result<Option<String>, Refusal> {
    for name in ["config.worktree", "config"] {
        let Some(bytes) = git_files::bytes(git, name, MAX_BYTES)? else { continue };
        let parsed = File::from_bytes_no_includes(&bytes, Metadata::api(), Options::default())
            .map_err(|_| Refusal::new(format!("{name} in its .git cannot be understood")))?;
        if let Some(value) = parsed.string(key) {
            return Ok(Some(value.to_string()));
        }
    }
    Ok(None)
}
