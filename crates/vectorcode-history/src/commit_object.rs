//! A commit, as decoded from the object database.

use gix_hash::ObjectId;
use gix_object::CommitRef;
use vectorcode_core::CommitId;

use crate::Repository;

/// Longer messages are logs and pasted texts; the subject comes before that.
const MAX_MESSAGE_BYTES: usize = 4_000;
const MAX_AUTHOR_BYTES: usize = 100;
/// More than the octopus merges of real repositories have.
const MAX_PARENTS: usize = 64;

/// The relevant fields of a commit object.
#[derive(Clone, Debug)]
pub(crate) struct CommitObject {
    pub id: CommitId,
    pub tree: ObjectId,
    pub parents: Vec<CommitId>,
    pub time_secs: i64,
    pub author: String,
    pub message: String,
}

impl CommitObject {
    /// `None` if the object is missing or not a commit.
    pub fn read(repository: &Repository, id: CommitId) -> Option<Self> {
        let data = repository.object(object_id(id), gix_object::Kind::Commit)?;
        let commit = CommitRef::from_bytes(&data, gix_hash::Kind::Sha1).ok()?;
        let parents = commit.parents().take(MAX_PARENTS);
        Some(Self {
            id,
            tree: commit.tree(),
            parents: parents.filter_map(|parent| CommitId::from_bytes(parent.as_slice())).collect(),
            time_secs: commit.time().map_or(0, |time| time.seconds),
            author: commit
                .author()
                .map_or_else(|_| String::new(), |author| text(author.name, MAX_AUTHOR_BYTES)),
            message: text(commit.message, MAX_MESSAGE_BYTES),
        })
    }
}

pub(crate) fn object_id(id: CommitId) -> ObjectId {
    ObjectId::from(*id.as_bytes())
}

/// The beginning of a text. Invalid UTF-8 is replaced by replacement characters.
fn text(bytes: &[u8], limit: usize) -> String {
    let cut = &bytes[..bytes.len().min(limit)];
    let text = String::from_utf8_lossy(cut);
    // Removes a character that was cut in half.
    let text = if cut.len() < bytes.len() { text.trim_end_matches('\u{fffd}') } else { &text };
    text.trim().to_owned()
}
