//! Resolves `HEAD`, branches and tags.
//!
//! References are not read with `gix-ref`, which opens any file that is there. Repositories that store them in another format
//! than files (`reftable`) are not supported.

use std::path::Path;

use gix_hash::ObjectId;
use gix_object::bstr::ByteSlice as _;

use crate::git_dirs::GitDirs;
use crate::git_files::{find_line, first_line};
use crate::refusal::Refusal;

/// The maximum length of a chain of symbolic references.
const MAX_LINKS: usize = 5;
/// Enough for a million references, about as many as the largest public mirrors have.
pub(crate) const MAX_PACKED_BYTES: u64 = 128 << 20;
/// The number of characters shown of an invalid name.
const MAX_SHOWN: usize = 80;
/// References that each worktree has for itself.
const OF_WORKTREE: [&str; 3] = ["refs/bisect/", "refs/rewritten/", "refs/worktree/"];

/// What a reference resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Object(ObjectId),
    /// It names a branch that has no commit yet.
    Unborn,
    /// There is no such reference.
    Absent,
}

impl GitDirs {
    /// Resolves a reference: `HEAD`, or one with its full name.
    pub fn follow(&self, name: &str) -> Result<Target, Refusal> {
        let mut name = name.to_owned();
        for link in 0..MAX_LINKS {
            let Some(content) = self.reference(&name)? else {
                return Ok(if link == 0 { Target::Absent } else { Target::Unborn });
            };
            match content.strip_prefix("ref:") {
                Some(next) => next.trim().clone_into(&mut name),
                None => return object_id(&content).map(Target::Object).ok_or_else(|| bad_reference(&name)),
            }
        }
        Err(Refusal::new("references in its .git form a cycle or a long chain"))
    }

    fn reference(&self, name: &str) -> Result<Option<String>, Refusal> {
        if !is_name(name) {
            return Err(bad_reference(name));
        }
        let is_shared = name.starts_with("refs/") && !OF_WORKTREE.iter().any(|own| name.starts_with(own));
        let folder = if is_shared { &self.common_dir } else { &self.git_dir };
        match first_line(folder, name)? {
            None if is_shared => packed(folder, name),
            found => Ok(found),
        }
    }
}

fn packed(common: &Path, name: &str) -> Result<Option<String>, Refusal> {
    find_line(common, "packed-refs", MAX_PACKED_BYTES, |line| {
        let (id, found) = line.split_once_str(" ")?;
        (found == name.as_bytes()).then(|| String::from_utf8_lossy(id).into_owned())
    })
}

/// Whether this is `HEAD`, a name like it, or a name below `refs/` that git allows. No part may be `..` or hidden.
pub(crate) fn is_name(name: &str) -> bool {
    let is_special = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    let is_below = name.starts_with("refs/")
        && name.split('/').all(is_part)
        && !name.contains(|letter: char| letter.is_control() || " ~^:?*[\\".contains(letter))
        && !name.contains("..");
    !name.is_empty() && (is_special || is_below)
}

/// Only the first word is used, because `FETCH_HEAD` has more after the id.
fn object_id(content: &str) -> Option<ObjectId> {
    ObjectId::from_hex(content.split_ascii_whitespace().next()?.as_bytes()).ok()
}

fn bad_reference(name: &str) -> Refusal {
    let name: String = name.chars().take(MAX_SHOWN).collect();
    Refusal::new(format!("the reference {name:?} in its .git is not valid"))
}
