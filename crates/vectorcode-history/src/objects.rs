//! Reads the objects of a repository, both loose and packed.
//!
//! `gix-odb` decodes them. What it would open is checked first: there must be no links, and packs and loose objects must be
//! regular files. It maps files into memory, so their size does not matter; the size of decoded objects is limited. It may only
//! use the indexes of the packs, and it never sees the repository's settings, commit-graph or replacements.

use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::{Find as _, Kind};
use gix_odb::find::Header;
use gix_odb::{Handle, Header as _, store::init::Options};

use crate::git_files::has_content;
use crate::refusal::Refusal;

/// The memory for decoding one object: the object itself, its delta base, and the delta.
const MAX_DECODING_BYTES: usize = 16 << 20;
/// The maximum size of an object of each kind. Nobody writes longer messages by hand. A tree of this size would have some hundred
/// thousand names, which no folder of a real repository has. Larger files are not compared.
const fn max_bytes(kind: Kind) -> u64 {
    match kind {
        Kind::Commit | Kind::Tag => 1 << 20,
        Kind::Tree => 8 << 20,
        Kind::Blob => MAX_DECODING_BYTES as u64,
    }
}
/// Git creates delta chains of up to fifty, or 250 with `--aggressive`. A chain of a hundred thousand copies of megabytes fits
/// into a small pack, and takes minutes to decode.
const MAX_DELTAS: u32 = 1_000;
/// Trees of neighbouring commits are mostly the same.
const CACHE_BYTES: usize = 8 << 20;
/// One folder for each pair of hexadecimal digits, `info`, `pack`, and leftovers of other tools.
const MAX_FOLDERS: usize = 1_000;
/// Repositories that were never repacked have thousands.
const MAX_PACK_FILES: usize = 50_000;

pub(crate) struct Objects {
    odb: Handle,
    folder: PathBuf,
}

impl Objects {
    /// Opens the objects of a canonical git directory.
    pub fn open(common: &Path) -> Result<Self, Refusal> {
        let folder = common.join("objects");
        check_entry("objects", fs::symlink_metadata(&folder).ok().map(|found| found.file_type()))?;
        check_entries(&folder, "objects", MAX_FOLDERS)?;
        check_entries(&folder.join("pack"), "objects/pack", MAX_PACK_FILES)?;
        check_entries(&folder.join("info"), "objects/info", MAX_FOLDERS)?;
        if has_content(&folder, "info/alternates") {
            return Err(Refusal::new(
                "it uses objects of another repository (objects/info/alternates); `git repack -a -d` copies them, \
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

    /// The bytes of an object of the expected kind; `None` if it is missing, damaged or too large.
    pub fn read(&self, id: ObjectId, kind: Kind) -> Option<Vec<u8>> {
        if self.kind(id)? != kind {
            return None;
        }
        let mut bytes = Vec::new();
        let found = self.odb.try_find(&id, &mut bytes).ok()??.kind;
        (found == kind).then_some(bytes)
    }

    /// The kind of an object, if it is within the limits.
    pub fn kind(&self, id: ObjectId) -> Option<Kind> {
        let header = self.header(id)?;
        let is_small = header.size() <= max_bytes(header.kind());
        let has_short_chain = header.num_deltas().is_none_or(|deltas| deltas <= MAX_DELTAS);
        (is_small && has_short_chain).then(|| header.kind())
    }

    /// The size of an object of the expected kind, even if it is too large to be read.
    pub fn size(&self, id: ObjectId, kind: Kind) -> Option<u64> {
        self.header(id).filter(|header| header.kind() == kind).map(|header| header.size())
    }

    fn header(&self, id: ObjectId) -> Option<Header> {
        if self.is_file_or_packed(id) { self.odb.try_header(&id).ok()? } else { None }
    }

    /// The only object whose id starts with these digits.
    pub fn by_prefix(&self, hex: &str) -> Option<ObjectId> {
        let prefix = gix_hash::Prefix::from_hex(hex).ok()?;
        self.odb.lookup_prefix(prefix, None).ok()??.ok()
    }

    /// Reading a pipe in place of a loose object would block.
    fn is_file_or_packed(&self, id: ObjectId) -> bool {
        let name = id.to_string();
        let (folder, name) = name.split_at(2);
        fs::symlink_metadata(self.folder.join(folder).join(name)).map_or(true, |found| found.is_file())
    }
}

/// Rejects a directory that contains anything except regular files and directories, such as links and pipes.
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
