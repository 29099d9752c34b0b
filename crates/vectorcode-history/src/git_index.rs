//! Reads git's index, the file `index` in its folder: what git recorded about the worktree's files when it last saw them.
//!
//! A file whose size and times still match the record has the recorded content, so it need not be read.

use std::collections::HashMap;
use std::fs;
use std::time::UNIX_EPOCH;

use vectorcode_core::BlobId;

use crate::{HistoryError, Repository, git_files};

/// The index of a worktree with a million files takes a hundred megabytes.
const MAX_INDEX_BYTES: u64 = 256 << 20;
const NAME: &str = "index";
const REGULAR_FILE: u32 = 0o10;
const HAS_MORE_FLAGS: u16 = 0x4000;
/// Not 0 for a file with a merge conflict.
const STAGE: u16 = 0x3000;

/// A file as git last saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    pub blob: BlobId,
    pub mtime_ns: i64,
    /// The time of the last change of content or metadata (ctime); on Windows, the time of creation.
    pub changed_ns: i64,
    /// Modulo 2^32.
    pub size: u32,
}

impl Repository {
    /// The files of the worktree as git last saw them, by their paths inside the project. Files that may have changed since
    /// without a different modification time are left out, as is everything after a damaged entry.
    pub fn index_entries(&self) -> Result<HashMap<String, IndexEntry>, HistoryError> {
        let folder = &self.dirs.git_dir;
        let bytes =
            git_files::bytes(folder, NAME, MAX_INDEX_BYTES).map_err(|refusal| self.refused(refusal))?;
        let written = fs::metadata(folder.join(NAME)).and_then(|found| found.modified()).ok();
        let written = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let (Some(bytes), Some(written)) = (bytes, written) else { return Ok(HashMap::new()) };
        let below = if self.prefix.is_empty() { String::new() } else { self.folder() + "/" };
        let entries = Entries::new(&bytes).into_iter().flatten();
        let certain =
            entries.filter(|(_, file)| i128::from(file.mtime_ns) < written.as_nanos().cast_signed());
        let of_project =
            certain.filter_map(|(path, file)| Some((path.strip_prefix(&below)?.to_owned(), file)));
        Ok(of_project.collect())
    }
}

/// Iterates over the entries of regular files.
struct Entries<'b> {
    rest: Reader<'b>,
    left: u32,
    /// Names share a prefix with the previous one, and entries have no padding (version 4).
    has_shared_names: bool,
    name: Vec<u8>,
}

impl<'b> Entries<'b> {
    /// `None` for an unknown format.
    fn new(bytes: &'b [u8]) -> Option<Self> {
        let mut rest = Reader(bytes);
        let (magic, version, left) = (rest.take(4)?, rest.number()?, rest.number()?);
        let is_known = magic == b"DIRC" && (2..=4).contains(&version);
        is_known.then(|| Self { rest, left, has_shared_names: version == 4, name: Vec::new() })
    }

    /// The next entry. The file is `None` unless it is a regular file without a merge conflict.
    fn read(&mut self) -> Option<(String, Option<IndexEntry>)> {
        self.left = self.left.checked_sub(1)?;
        let begin = self.rest.0.len();
        let (changed_ns, mtime_ns) = (self.rest.time()?, self.rest.time()?);
        let [_device, _inode, mode, _user, _group, size] = self.rest.numbers()?;
        let (blob, flags) = (BlobId::from_bytes(self.rest.take(BlobId::BYTES)?)?, self.rest.flags()?);
        if flags & HAS_MORE_FLAGS != 0 {
            self.rest.take(2)?;
        }
        let kept = if self.has_shared_names { self.name.len().checked_sub(self.rest.varint()?)? } else { 0 };
        self.name.truncate(kept);
        self.name.extend_from_slice(self.rest.until_nul()?);
        if !self.has_shared_names {
            let used = begin - self.rest.0.len();
            self.rest.take(used.next_multiple_of(8) - used)?;
        }
        let is_file = mode >> 12 == REGULAR_FILE && flags & STAGE == 0;
        let file = IndexEntry { blob, mtime_ns, changed_ns, size };
        Some((String::from_utf8_lossy(&self.name).into_owned(), is_file.then_some(file)))
    }
}

impl Iterator for Entries<'_> {
    type Item = (String, IndexEntry);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let (path, Some(file)) = self.read()? {
                return Some((path, file));
            }
        }
    }
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, bytes: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(*self.take(4)?.first_chunk()?))
    }

    fn numbers<const COUNT: usize>(&mut self) -> Option<[u32; COUNT]> {
        let mut numbers = [0; COUNT];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    fn flags(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(*self.take(2)?.first_chunk()?))
    }

    /// Reads seconds and nanoseconds.
    fn time(&mut self) -> Option<i64> {
        let [seconds, nanoseconds] = self.numbers()?;
        Some(i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds))
    }

    /// Reads a number in the encoding of offsets in packs.
    fn varint(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = *self.take(1)?.first()?;
            value = value.checked_add(usize::from(byte & 0x7f))?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?.checked_mul(128)?;
        }
    }

    fn until_nul(&mut self) -> Option<&'b [u8]> {
        let length = self.0.iter().position(|byte| *byte == 0)?;
        let taken = self.take(length)?;
        self.take(1)?;
        Some(taken)
    }
}
