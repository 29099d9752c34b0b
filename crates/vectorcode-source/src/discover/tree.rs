//! Where the files of a project are read from: the disk, or a commit.

use std::fmt::Debug;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use vectorcode_core::{Links, is_bare_repository, open_regular_file, read_bounded_regular_file};

/// The files of a commit. Paths are relative to the root of the project, with `/`; links and submodules are left out.
pub trait CommittedFiles: Debug + Send + Sync {
    /// All paths, sorted.
    fn paths(&self) -> &[String];

    fn size(&self, path: &str) -> io::Result<u64>;

    /// The first bytes of a file, at most `limit`.
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>>;
}

/// The project files that a bare repository has on disk: none.
#[derive(Debug)]
struct NoFiles;

impl CommittedFiles for NoFiles {
    fn paths(&self) -> &[String] {
        &[]
    }

    fn size(&self, _path: &str) -> io::Result<u64> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn read(&self, _path: &str, _limit: u64) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// The root directory.
    Disk(PathBuf),
    Commit(Arc<dyn CommittedFiles>),
}

/// The metadata of a file, known before it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileMetadata {
    pub kind: FileKind,
    pub size: u64,
    pub mtime_ns: i64,
    pub changed_ns: i64,
    pub is_executable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Regular,
    Link,
    Other,
}

impl Tree {
    /// The files below a root. The data of a bare repository is not part of any project.
    pub fn on_disk(root: &Path) -> Self {
        if is_bare_repository(root) {
            Self::Commit(Arc::new(NoFiles))
        } else {
            Self::Disk(root.to_path_buf())
        }
    }

    /// The metadata of a file; links are not followed.
    pub fn metadata(&self, path: &str) -> io::Result<FileMetadata> {
        match self {
            Self::Disk(root) => fs::symlink_metadata(root.join(path)).map(FileMetadata::from),
            Self::Commit(files) => Ok(FileMetadata {
                kind: FileKind::Regular,
                size: files.size(path)?,
                mtime_ns: 0,
                changed_ns: 0,
                is_executable: false,
            }),
        }
    }

    /// The first bytes of a regular file.
    pub fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::Disk(root) => read_bytes(&root.join(path), limit),
            Self::Commit(files) => files.read(path, limit),
        }
    }

    /// Reads a file of ignore rules, which may be a link on disk. Fails if it is larger than `limit`.
    pub fn read_rules(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::Disk(root) => read_bounded_regular_file(&root.join(path), limit, Links::Follow),
            Self::Commit(files) if !is_listed(&**files, path) => Err(io::ErrorKind::NotFound.into()),
            Self::Commit(files) if files.size(path)? > limit => Err(io::ErrorKind::FileTooLarge.into()),
            Self::Commit(files) => files.read(path, limit),
        }
    }

    /// Whether a file or directory exists at this path.
    pub fn has(&self, path: &str) -> bool {
        match self {
            Self::Disk(root) => root.join(path).symlink_metadata().is_ok(),
            Self::Commit(files) => is_listed(&**files, path) || below(&**files, path).next().is_some(),
        }
    }

    /// The names of the files directly inside a directory.
    pub fn file_names(&self, directory: &str) -> Vec<String> {
        match self {
            Self::Disk(root) => {
                let entries = fs::read_dir(root.join(directory)).into_iter().flatten().flatten();
                let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
                files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
            }
            Self::Commit(files) => {
                let names = below(&**files, directory).filter(|name| !name.contains('/'));
                names.map(str::to_owned).collect()
            }
        }
    }
}

fn is_listed(files: &dyn CommittedFiles, path: &str) -> bool {
    files.paths().binary_search_by(|known| known.as_str().cmp(path)).is_ok()
}

/// The paths below a directory, relative to it.
fn below<'f>(files: &'f dyn CommittedFiles, directory: &str) -> impl Iterator<Item = &'f str> {
    let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let paths = files.paths();
    let first = paths.partition_point(|path| path.as_str() < prefix.as_str());
    paths[first..].iter().map_while(move |path| path.strip_prefix(prefix.as_str()))
}

/// The first bytes of a regular file.
fn read_bytes(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Discovery found a regular file at this path, but it may have been replaced since.
    let file = open_regular_file(path, Links::Refuse)?;
    let size = file.metadata()?.len().min(limit);
    let mut bytes = Vec::with_capacity(size as usize + 1);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl From<Metadata> for FileMetadata {
    fn from(metadata: Metadata) -> Self {
        let kind = match metadata.file_type() {
            kind if kind.is_symlink() => FileKind::Link,
            kind if kind.is_file() => FileKind::Regular,
            _ => FileKind::Other,
        };
        Self {
            kind,
            size: metadata.len(),
            mtime_ns: mtime_ns(&metadata),
            changed_ns: changed_ns(&metadata),
            is_executable: is_executable(&metadata),
        }
    }
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn changed_ns(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed_ns(metadata: &Metadata) -> i64 {
    mtime_ns(metadata)
}

fn mtime_ns(metadata: &Metadata) -> i64 {
    let Ok(modified) = metadata.modified() else { return 0 };
    match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as i64,
        Err(before) => -(before.duration().as_nanos() as i64),
    }
}
