//! Reads configuration files safely: only regular files, and only up to a maximum size.
//!
//! A project is untrusted input. Its `.gitignore` may be a link to `/dev/zero`, its `config.toml` a pipe that nobody writes
//! to. Reading those the usual way would use all memory or never end.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// Enough for any configuration file that a person writes.
pub const MAX_CONFIG_FILE_BYTES: u64 = 1 << 20;

/// What to do if the last component of a path is a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// For the user's own files, which people link to other disks or to their dotfiles.
    Follow,
    /// For everything inside a project.
    Refuse,
}

/// Reads a regular file of at most `limit` bytes. A pipe, a device or a directory is an error of kind `InvalidInput`, a
/// larger file an error of kind `FileTooLarge`.
pub fn read_bounded_regular_file(path: &Path, limit: u64, links: Links) -> io::Result<Vec<u8>> {
    let file = open_regular_file(path, links)?;
    let bytes = Vec::with_capacity(file.metadata()?.len().min(limit) as usize + 1);
    read_to_limit(file, limit, bytes)
}

/// Reads a stream to its end, up to `limit` bytes; more is an error of kind `FileTooLarge`.
pub fn read_bounded(stream: impl io::Read, limit: u64) -> io::Result<Vec<u8>> {
    read_to_limit(stream, limit, Vec::new())
}

fn read_to_limit(stream: impl io::Read, limit: u64, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    stream.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Reads a configuration file as text.
pub fn read_config_file(path: &Path) -> io::Result<String> {
    let bytes = read_bounded_regular_file(path, MAX_CONFIG_FILE_BYTES, Links::Follow)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "not valid UTF-8"))
}

/// Opens a regular file for reading, without ever blocking on a pipe.
pub fn open_regular_file(path: &Path, links: Links) -> io::Result<File> {
    // Checked before opening, because opening alone has an effect on some devices.
    let found = match links {
        Links::Follow => path.metadata()?,
        Links::Refuse => path.symlink_metadata()?,
    };
    check_regular(&found)?;
    let file = without_waiting(links).open(path)?;
    // Checked again, because the file may have been replaced in between.
    check_regular(&file.metadata()?)?;
    Ok(file)
}

fn check_regular(metadata: &std::fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"))
}

#[cfg(unix)]
fn without_waiting(links: Links) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    let mut options = OpenOptions::new();
    options.read(true).custom_flags(open_flags(links));
    options
}

/// Opening does not block if a pipe is there instead of a file.
#[cfg(unix)]
pub(crate) fn open_flags(links: Links) -> i32 {
    libc::O_NONBLOCK | if links == Links::Refuse { libc::O_NOFOLLOW } else { 0 }
}

#[cfg(not(unix))]
fn without_waiting(_links: Links) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ErrorKind> {
        read_bounded_regular_file(path, limit, Links::Follow).map_err(|error| error.kind())
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4), Err(ErrorKind::FileTooLarge));
        assert_eq!(read(directory.path(), 5), Err(ErrorKind::InvalidInput));
        assert_eq!(read(&directory.path().join("missing"), 5), Err(ErrorKind::NotFound));
    }

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_links_to_them_are_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let link = directory.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [pipe.as_path(), &link, Path::new("/dev/zero")] {
            assert_eq!(read(path, 5), Err(ErrorKind::InvalidInput), "{}", path.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_only_where_that_is_asked_for() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        std::fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_bounded_regular_file(&link, 9, Links::Follow).unwrap(), b"text");
        assert!(read_bounded_regular_file(&link, 9, Links::Refuse).is_err());
    }
}
