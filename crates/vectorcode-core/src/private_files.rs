//! Files that belong to this user alone, in directories that others may have prepared.
//!
//! A repository can contain its own `.vectorcode` with links in it: truncating a lock file through such a link would empty
//! somebody's file. So links are not followed here, whatever is created is readable only by its owner (the index contains the
//! text of the sources), and a configuration file must be a regular file of bounded size.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::bounded_file::read_bounded_regular_file;
pub use crate::bounded_file::{Links, MAX_CONFIG_FILE_BYTES};

/// On Windows, replacing a file may have to wait until another process has read it. Reading a small file takes less than
/// this.
const REPLACE_TIMEOUT: Duration = Duration::from_secs(2);
const REPLACE_RETRY: Duration = Duration::from_millis(5);

impl Links {
    fn look(self, path: &Path) -> io::Result<fs::Metadata> {
        match self {
            Self::Follow => fs::metadata(path),
            Self::Refuse => fs::symlink_metadata(path),
        }
    }
}

/// Creates a directory and its missing parents, accessible to this user alone. An existing directory is left as it is.
pub fn create_directory(path: &Path, links: Links) -> io::Result<()> {
    match links.look(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(found) => Err(not_ours(&found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => private_directory().create(path),
        Err(error) => Err(error),
    }
}

/// Fails if something other than a directory, such as a link, is at this path. It is fine if nothing is there.
pub fn check_directory(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_dir() => Err(not_ours(&found)),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes all access of other users from a file or directory. Does nothing for files of other owners.
pub fn restrict(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let Ok(found) = fs::symlink_metadata(path) else { return };
        let mode = found.permissions().mode();
        if !found.is_symlink() && mode & 0o077 != 0 {
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Whether a file or directory belongs to the user of this process. True on platforms without such owners.
pub fn is_own(found: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw()
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        true
    }
}

/// The user id of the owner of a file or directory, on platforms that have user ids.
#[cfg(unix)]
pub fn owner(found: &fs::Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(found))
}

#[cfg(not(unix))]
pub fn owner(_found: &fs::Metadata) -> Option<u32> {
    None
}

/// Whether this process runs as root.
pub fn is_root_user() -> bool {
    #[cfg(unix)]
    {
        rustix::process::geteuid().is_root()
    }
    #[cfg(not(unix))]
    {
        false
    }
}

/// Whether this process may create files in a directory. True on platforms where this cannot be queried.
pub fn is_writable(directory: &Path) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::Access;
        rustix::fs::access(directory, Access::WRITE_OK | Access::EXEC_OK).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = directory;
        true
    }
}

/// Whether this process may write to a file. False on platforms where this cannot be queried.
pub fn is_writable_file(path: &Path) -> bool {
    #[cfg(unix)]
    {
        rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Whether only this user and the administrator can change a file.
pub fn is_changed_by_owner_only(path: &Path) -> bool {
    let Ok(found) = fs::metadata(path) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (is_own(&found) || found.uid() == 0) && found.mode() & 0o022 == 0
    }
    #[cfg(not(unix))]
    {
        is_own(&found)
    }
}

/// Fails if something other than a regular file with a single name is at this path. It is fine if nothing is there.
pub fn check(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) => check_found(&found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens a file for reading and writing. Creates it if needed, and keeps its content.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    check(path)?;
    let mut options = private_options(Links::Refuse);
    let file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(named)?;
    // The path may refer to another file since it was checked.
    check_found(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file for appending, and creates it if needed. Lines that several processes write at the same time are not
/// interleaved.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    check(path)?;
    let file = private_options(Links::Refuse).append(true).create(true).open(path).map_err(named)?;
    check_found(&file.metadata()?)?;
    Ok(file)
}

/// Creates a file; fails if it exists.
pub fn create_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = private_options(Links::Refuse).write(true).create_new(true).open(path)?;
    file.write_all(content)
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewFileMode<'a> {
    /// This user only.
    Private,
    /// The users who may read this existing file. Its owner is kept too, if the system allows it.
    Like(&'a Path),
    /// The users that the umask allows, as for a file that an editor creates.
    Umask,
}

/// Replaces one of our own files atomically: readers see the old content or the new one, even after a crash. The caller must
/// ensure that nobody else replaces the same file at the same time.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    check(path)?;
    let is_there = fs::symlink_metadata(path).is_ok();
    replace_as(path, content, if is_there { NewFileMode::Like(path) } else { NewFileMode::Private })
}

/// Like [`replace`], for a file of the user: whatever is at this path is replaced without being checked.
pub fn replace_as(path: &Path, content: &[u8], mode: NewFileMode<'_>) -> io::Result<()> {
    // Nobody else uses this name, so a file under it was left by a crash and can be deleted.
    let mut beside = path.as_os_str().to_owned();
    beside.push(".vectorcode-new");
    let beside = PathBuf::from(beside);
    remove_if_there(&beside)?;
    let written = write_beside(&beside, content, mode).and_then(|()| rename(&beside, path));
    if written.is_err() {
        remove_if_there(&beside)?;
    }
    written
}

/// Deletes a file, if it exists.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Mode and owner are set before the first byte is written, because the content may contain keys.
fn write_beside(beside: &Path, content: &[u8], mode: NewFileMode<'_>) -> io::Result<()> {
    let mut options = private_options(Links::Refuse);
    #[cfg(unix)]
    if mode == NewFileMode::Umask {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o666);
    }
    let mut file = options.write(true).create_new(true).open(beside)?;
    if let NewFileMode::Like(old) = mode {
        let old = fs::metadata(old)?;
        keep_owner(&file, &old);
        file.set_permissions(old.permissions())?;
    }
    file.write_all(content)?;
    file.sync_all()
}

/// Under `sudo`, a file must still belong to its user. Only root can change an owner, so a failure means that there was no
/// need to.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _old: &fs::Metadata) {}

/// Reads a configuration file as text. Pipes and devices, which would block or never end, are refused, and so are files that
/// are too long.
pub fn read_text(path: &Path, max_bytes: u64, links: Links) -> io::Result<String> {
    let found = links.look(path)?;
    if !found.is_file() {
        // The same error as below, but naming what is there.
        return Err(not_ours(&found));
    }
    let bytes = read_bounded_regular_file(path, max_bytes, links).map_err(named)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not valid UTF-8"))
}

fn check_found(found: &fs::Metadata) -> io::Result<()> {
    if !found.is_file() {
        return Err(not_ours(found));
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(found) > 1 {
        return Err(io::Error::other(
            "it has other names too (it is a hard link), and such files are not written to; delete it and try again",
        ));
    }
    Ok(())
}

fn not_ours(found: &fs::Metadata) -> io::Error {
    let kind = match found.file_type() {
        kind if kind.is_symlink() => "a symbolic link, and links are not followed here",
        kind if kind.is_dir() => "a directory",
        kind if kind.is_file() => "a file",
        _ => "a device or a pipe",
    };
    io::Error::other(format!("it is {kind}; delete it and try again"))
}

/// Replaces the system's message for a link that appeared after the check, "too many levels of symbolic links".
fn named(error: io::Error) -> io::Error {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return io::Error::other(
            "it is a symbolic link, and links are not followed here; delete it and try again",
        );
    }
    error
}

#[cfg(unix)]
fn private_directory() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder
}

#[cfg(not(unix))]
fn private_directory() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    builder
}

#[cfg(unix)]
fn private_options(links: Links) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags(crate::bounded_file::open_flags(links));
    options
}

/// Windows has only the checks before opening; creating a link requires a privilege there.
#[cfg(not(unix))]
fn private_options(_links: Links) -> OpenOptions {
    OpenOptions::new()
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let deadline = Instant::now() + REPLACE_TIMEOUT;
    loop {
        match fs::rename(from, to) {
            Err(error) if is_in_use(&error) && Instant::now() < deadline => {
                std::thread::sleep(REPLACE_RETRY);
            }
            renamed => return renamed,
        }
    }
}

/// Windows may fail with "access denied" or "sharing violation" while another process has the old file open.
fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_made_belongs_to_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, file) = (dir.path().join("a/b"), dir.path().join("a/b/file"));
        create_directory(&folder, Links::Refuse).unwrap();
        open_or_create(&file).unwrap();
        create_new(&folder.join("new"), b"x").unwrap();
        replace(&folder.join("replaced"), b"y").unwrap();
        assert_eq!((mode(&dir.path().join("a")), mode(&folder), mode(&file)), (0o700, 0o700, 0o600));
        assert_eq!((mode(&folder.join("new")), mode(&folder.join("replaced"))), (0o600, 0o600));
    }

    #[test]
    fn no_link_is_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let (victim, link) = (dir.path().join("victim"), dir.path().join("link"));
        fs::write(&victim, "precious").unwrap();
        symlink(&victim, &link).unwrap();
        assert!(open_or_create(&link).unwrap_err().to_string().contains("symbolic link"));
        assert!(open_to_append(&link).unwrap_err().to_string().contains("symbolic link"));
        assert!(replace(&link, b"gone").is_err() && create_new(&link, b"gone").is_err());
        fs::hard_link(&victim, dir.path().join("hard")).unwrap();
        assert!(open_or_create(&dir.path().join("hard")).unwrap_err().to_string().contains("hard link"));
        symlink(&victim, dir.path().join("beside.vectorcode-new")).unwrap();
        replace(&dir.path().join("beside"), b"fresh").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        symlink(dir.path(), dir.path().join("folder")).unwrap();
        assert!(create_directory(&dir.path().join("folder"), Links::Refuse).is_err());
        assert!(create_directory(&dir.path().join("folder"), Links::Follow).is_ok());
    }

    #[test]
    fn settings_are_regular_files_of_bounded_size() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        fs::write(&file, "a = 1\n").unwrap();
        assert_eq!(read_text(&file, 6, Links::Refuse).unwrap(), "a = 1\n");
        assert!(read_text(&file, 5, Links::Refuse).unwrap_err().to_string().contains("larger than 5 bytes"));
        assert!(read_text(Path::new("/dev/zero"), 5, Links::Follow).is_err());
        symlink(&file, dir.path().join("link")).unwrap();
        assert!(read_text(&dir.path().join("link"), 6, Links::Refuse).is_err());
        assert!(read_text(&dir.path().join("link"), 6, Links::Follow).is_ok());
    }

    #[test]
    fn a_file_of_the_user_is_as_open_as_another_or_as_the_umask_says() {
        let dir = tempfile::tempdir().unwrap();
        let (secret, backup, plain) =
            (dir.path().join("settings.json"), dir.path().join("backup"), dir.path().join("plain"));
        fs::write(&secret, "{}").unwrap();
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
        replace_as(&backup, b"{}", NewFileMode::Like(&secret)).unwrap();
        replace_as(&secret, b"{1}", NewFileMode::Like(&secret)).unwrap();
        replace_as(&plain, b"{}", NewFileMode::Umask).unwrap();
        fs::write(dir.path().join("by an editor"), "").unwrap();
        assert_eq!((mode(&backup), mode(&secret)), (0o600, 0o600));
        assert_eq!(mode(&plain), mode(&dir.path().join("by an editor")));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 4, "nothing is left beside them");
    }

    #[test]
    fn a_replaced_file_keeps_its_mode() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&file, b"new").unwrap();
        assert_eq!((mode(&file), fs::read_to_string(&file).unwrap().as_str()), (0o640, "new"));
        restrict(&file);
        assert_eq!(mode(&file), 0o600);
    }
}
