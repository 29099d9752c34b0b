//! The files of a project as of a commit, read from git's objects.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock};

use vectorcode_core::{BlobId, CommitId, Links, lock, read_bounded_regular_file, read_config_file};
use vectorcode_history::{HistoryError, Repository};
use vectorcode_source::CommittedFiles;

use super::Project;

/// Size limit for a manifest.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// Reads files from the repository's object database: nothing is checked out, and no filter runs.
#[derive(Debug)]
pub(crate) struct CommitFiles {
    pub commit: CommitId,
    /// Behind a mutex because its caches are not thread-safe.
    repository: Mutex<Repository>,
    /// Read only when all files are needed: for a large project that takes a tenth of a second.
    listing: OnceLock<Listing>,
}

#[derive(Debug, Default)]
struct Listing {
    /// Sorted.
    paths: Vec<String>,
    blobs: HashMap<String, BlobId>,
}

impl CommitFiles {
    pub fn new(repository: Repository, commit: CommitId) -> Self {
        Self { commit, repository: Mutex::new(repository), listing: OnceLock::new() }
    }

    /// Reads the list of files. Calling this first reports a damaged repository, which later calls only log.
    pub fn list(&self) -> Result<(), HistoryError> {
        let blobs = self.repository().files(self.commit)?;
        let mut paths: Vec<String> = blobs.keys().cloned().collect();
        paths.sort_unstable();
        let _ = self.listing.set(Listing { paths, blobs });
        Ok(())
    }

    pub fn blob(&self, path: &str) -> Option<BlobId> {
        match self.listing.get() {
            Some(listing) => listing.blobs.get(path).copied(),
            None => self.repository().file(self.commit, path).ok().flatten(),
        }
    }

    fn content(&self, path: &str) -> io::Result<Vec<u8>> {
        let blob = self.blob(path).ok_or(io::ErrorKind::NotFound)?;
        self.repository().blob(blob).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn repository(&self) -> MutexGuard<'_, Repository> {
        lock(&self.repository)
    }

    fn listing(&self) -> &Listing {
        if self.listing.get().is_none()
            && let Err(error) = self.list()
        {
            tracing::warn!(%error, "the files of a commit cannot be listed");
        }
        self.listing.get_or_init(Listing::default)
    }

    /// Whether a file or a folder is at this path.
    fn has(&self, path: &str) -> bool {
        let listing = self.listing();
        let folder = format!("{path}/");
        let first = listing.paths.partition_point(|known| *known < folder);
        listing.blobs.contains_key(path)
            || listing.paths.get(first).is_some_and(|known| known.starts_with(&folder))
    }
}

impl CommittedFiles for CommitFiles {
    fn paths(&self) -> &[String] {
        &self.listing().paths
    }

    fn size(&self, path: &str) -> io::Result<u64> {
        let blob = self.blob(path).ok_or(io::ErrorKind::NotFound)?;
        self.repository().blob_size(blob).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let mut content = self.content(path)?;
        content.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(content)
    }
}

/// Where the files shown in responses are read from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FileSource<'a> {
    Disk(&'a Project),
    Commit(&'a CommitFiles),
}

impl FileSource<'_> {
    /// Reads an indexed file; indexed files are far smaller than the limit.
    pub fn read(self, path: &str, max_bytes: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::Disk(project) => {
                read_bounded_regular_file(&project.absolute(path), max_bytes, Links::Refuse)
            }
            Self::Commit(files) => match files.content(path)? {
                content if content.len() as u64 <= max_bytes => Ok(content),
                _ => Err(io::ErrorKind::FileTooLarge.into()),
            },
        }
    }

    /// The text of a small file, such as a manifest.
    pub fn read_text(self, path: &str) -> io::Result<String> {
        match self {
            Self::Disk(project) => read_config_file(&project.absolute(path)),
            Self::Commit(_) => {
                let bytes = self.read(path, MAX_TEXT_BYTES)?;
                String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
            }
        }
    }

    /// The commit that the files belong to; `None` for the disk.
    pub fn commit(self) -> Option<CommitId> {
        match self {
            Self::Disk(_) => None,
            Self::Commit(files) => Some(files.commit),
        }
    }

    /// Whether a file or a folder is at this path.
    pub fn has(self, path: &str) -> bool {
        match self {
            Self::Disk(project) => project.absolute(path).exists(),
            Self::Commit(files) => files.has(path),
        }
    }
}
