//! The objects of a repository: loose ones and those in packs.
//!
//! `gix-odb` decodes them. What it would open is checked first: nothing is a link, and packs and loose objects are regular
//! files. It maps them into memory, so their size costs nothing; what it decodes has limits. It is told to use no other
//! index than those of the packs, and it never sees the repository's settings, commit-graph or replacements.

use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::{Find as _, Kind};
use gix_odb::find::Header;
use gix_odb::{Handle, Header as _, store::init::Options};

use crate::git_files::has_content;
use crate::refusal::Refusal;

/// The memory that decoding one object may take: the object, the base that it is a delta of, and the delta.
const MAX_DECODING_BYTES: usize = 16 << 20;
/// What an object of a kind may have. Longer messages are not written by people. No folder of a real repository has a tree of this size, which would hold some
/// hundred thousand names. A file that is larger is not compared.
const fn max_bytes(kind: Kind) -> u64 {
    match kind {
        Kind::Commit | Kind::Tag => 1 << 20,
        Kind::Tree => 8 << 20,
        Kind::Blob => MAX_DECODING_BYTES as u64,
    }
}
/// Git makes chains of fifty deltas, and of 250 where it is told to be aggressive. A chain of a hundred thousand copies of
/// megabytes fits into a small pack, and takes minutes.
const MAX_DELTAS: u32 = 1_000;
/// Trees of neighbouring commits are mostly the same.
const CACHE_BYTES: usize = 8 << 20;
/// One for each pair of digits, `info`, `pack`, and what other tools leave.
const MAX_FOLDERS: usize = 1_000;
/// Repositories that were never packed anew have thousands.
const MAX_PACK_FILES: usize = 50_000;

pub(crate) struct Objects {
    odb: Handle,
    folder: PathBuf,
}

impl Objects {
    /// The objects below a canonical git directory.
    pub fn open(common: &Path) -> Result<Self, Refusal> {
        let folder = common.join("objects");
        check_entry("objects", fs::symlink_metadata(&folder).ok().map(|found| found.file_type()))?;
        check_entries(&folder, "objects", MAX_FOLDERS)?;
        check_entries(&folder.join("pack"), "objects/pack", MAX_PACK_FILES)?;
        check_entries(&folder.join("info"), "objects/info", MAX_FOLDERS)?;
        if has_content(&folder, "info/alternates") {
            return Err(Refusal::new(
                "it borrows objects of another repository (objects/info/alternates); `git repack -a -d` copies them, \
                 then the file can be deleted",
            ));
        }
        let options = Options {
            use_multi_pack_index: false,
            alloc_limit_bytes: Some(MAX_DECODING_BYTES),
            ..Options::default()
        };
        let mut odb = gix_odb::at_opts(&folder, HashKind::Sha1, None, options)
            .map_err(|error| Refusal::new(format!("its objects cannot be read: {error}")))?;
        odb.set_object_cache(|| {
            Box::new(gix_odb::pack::cache::object::MemoryCappedHashmap::new(CACHE_BYTES))
        });
        Ok(Self { odb, folder })
    }

    /// The bytes of an object of the kind that is expected; `None` for one that is missing, damaged or too large.
    pub fn read(&self, id: ObjectId, kind: Kind) -> Option<Vec<u8>> {
        if self.kind(id)? != kind {
            return None;
        }
        let mut bytes = Vec::new();
        let found = self.odb.try_find(&id, &mut bytes).ok()??.kind;
        (found == kind).then_some(bytes)
    }

    /// The kind of an object that can be read within the limits.
    pub fn kind(&self, id: ObjectId) -> Option<Kind> {
        let header = self.header(id)?;
        let is_small = header.size() <= max_bytes(header.kind());
        let is_near = header.num_deltas().is_none_or(|deltas| deltas <= MAX_DELTAS);
        (is_small && is_near).then(|| header.kind())
    }

    /// How many bytes an object of the kind that is expected has.
    pub fn size(&self, id: ObjectId, kind: Kind) -> Option<u64> {
        self.header(id).filter(|header| header.kind() == kind).map(|header| header.size())
    }

    fn header(&self, id: ObjectId) -> Option<Header> {
        if self.is_file_or_packed(id) { self.odb.try_header(&id).ok()? } else { None }
    }

    /// The only object whose id begins so.
    pub fn by_prefix(&self, hex: &str) -> Option<ObjectId> {
        let prefix = gix_hash::Prefix::from_hex(hex).ok()?;
        self.odb.lookup_prefix(prefix, None).ok()??.ok()
    }

    /// A pipe in the place of a loose object would be waited for.
    fn is_file_or_packed(&self, id: ObjectId) -> bool {
        let name = id.to_string();
        let (folder, name) = name.split_at(2);
        fs::symlink_metadata(self.folder.join(folder).join(name)).map_or(true, |found| found.is_file())
    }
}

/// Refuses a directory that holds something else than files and directories. Neither a link nor a pipe is one.
fn check_entries(folder: &Path, name: &str, limit: usize) -> Result<(), Refusal> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for (number, entry) in entries.flatten().enumerate() {
        if number >= limit {
            return Err(Refusal::too_large(name));
        }
        let shown = format!("{name}/{}", entry.file_name().to_string_lossy());
        check_entry(&shown, entry.file_type().ok())?;
    }
    Ok(())
}

fn check_entry(name: &str, found: Option<FileType>) -> Result<(), Refusal> {
    match found {
        Some(found) if found.is_file() || found.is_dir() => Ok(()),
        Some(found) if found.is_symlink() => Err(Refusal::leads_outside(name)),
        Some(_) => Err(Refusal::not_a_file(name)),
        None => Err(Refusal::new(format!("it has no {name}"))),
    }
}
