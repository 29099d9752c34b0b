//! Replacing a file in one step: a reader sees the old content or the new one, and so does who comes after a crash.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// The caller sees to it that nobody else replaces the same file at the same time.
pub(crate) fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = File::create(&beside)?;
    file.write_all(content)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&beside, path)
}
