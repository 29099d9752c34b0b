//! Reads the settings of a repository, of which two are used. Included files and the user's settings are not read.

use std::path::Path;

use gix_config::{File, file::Metadata, file::init::Options};

use crate::git_files;
use crate::refusal::Refusal;

/// Enough for thousands of branches. The parser needs some hundred times as much memory.
const MAX_BYTES: u64 = 256 << 10;

/// The last value of a key in a git directory's `config.worktree`, otherwise in its `config`.
pub(crate) fn value(git: &Path, key: &str) -> Result<Option<String>, Refusal> {
    for name in ["config.worktree", "config"] {
        let Some(bytes) = git_files::bytes(git, name, MAX_BYTES)? else { continue };
        let parsed = File::from_bytes_no_includes(&bytes, Metadata::api(), Options::default())
            .map_err(|_| Refusal::new(format!("{name} in its .git is not valid")))?;
        if let Some(value) = parsed.string(key) {
            return Ok(Some(value.to_string()));
        }
    }
    Ok(None)
}
