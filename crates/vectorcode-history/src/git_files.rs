//! Reads individual files of a git directory.
//!
//! All of them are regular files of a limited size inside the directory. Reading a pipe would block forever, a sparse file of
//! gigabytes would fill the memory, and a link could expose data of another repository.

use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use vectorcode_core::{Links, canonical, open_regular_file, read_bounded_regular_file};

use crate::refusal::Refusal;

/// The files contain names of references and paths of directories.
const MAX_LINE_FILE_BYTES: u64 = 4_096;

/// The first line of a file below `folder`, which must be canonical; `None` if there is no such file.
pub(crate) fn first_line(folder: &Path, name: &str) -> Result<Option<String>, Refusal> {
    let Some(bytes) = bytes(folder, name, MAX_LINE_FILE_BYTES)? else { return Ok(None) };
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(Some(String::from_utf8_lossy(line).trim().to_owned()))
}

/// The content of a file below `folder`; `None` if there is no such file.
pub(crate) fn bytes(folder: &Path, name: &str, limit: u64) -> Result<Option<Vec<u8>>, Refusal> {
    let Some(path) = inside(folder, name)? else { return Ok(None) };
    read_bounded_regular_file(&path, limit, Links::Refuse).map(Some).map_err(|error| unreadable(name, &error))
}

/// The first result of `find` over the lines of a file. The file is not kept in memory.
pub(crate) fn find_line<T>(
    folder: &Path,
    name: &str,
    limit: u64,
    mut find: impl FnMut(&[u8]) -> Option<T>,
) -> Result<Option<T>, Refusal> {
    let Some(path) = inside(folder, name)? else { return Ok(None) };
    let failed = |error: io::Error| unreadable(name, &error);
    let file = open_regular_file(&path, Links::Refuse).map_err(failed)?;
    if file.metadata().map_err(failed)?.len() > limit {
        return Err(Refusal::too_large(name));
    }
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    while lines.by_ref().take(MAX_LINE_FILE_BYTES).read_until(b'\n', &mut line).map_err(failed)? > 0 {
        if let Some(found) = find(line.trim_ascii_end()) {
            return Ok(Some(found));
        }
        if line.len() as u64 == MAX_LINE_FILE_BYTES {
            return Err(Refusal::too_large(name));
        }
        line.clear();
    }
    Ok(None)
}

/// Whether there is a non-empty file. It is not opened.
pub(crate) fn has_content(folder: &Path, name: &str) -> bool {
    fs::symlink_metadata(folder.join(name)).is_ok_and(|found| !found.is_dir() && found.len() > 0)
}

/// The real path of a file below `folder`; `None` if there is none, or a directory. Git leaves empty directories behind where
/// references were.
fn inside(folder: &Path, name: &str) -> Result<Option<PathBuf>, Refusal> {
    let path = folder.join(name);
    let real = match canonical(&path) {
        Ok(real) => real,
        // A dangling link may point to something later.
        Err(_) if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) => {
            return Err(Refusal::leads_outside(name));
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(name, &error)),
    };
    if !real.starts_with(folder) {
        return Err(Refusal::leads_outside(name));
    }
    Ok((!real.is_dir()).then_some(real))
}

fn unreadable(name: &str, error: &io::Error) -> Refusal {
    match error.kind() {
        ErrorKind::FileTooLarge => Refusal::too_large(name),
        ErrorKind::InvalidInput => Refusal::not_a_file(name),
        _ => Refusal::new(format!("{name} in its .git cannot be read: {error}")),
    }
}
