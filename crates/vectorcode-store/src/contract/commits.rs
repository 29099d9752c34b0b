//! The commit history that is kept in the index.

use vectorcode_core::{Commit, CommitChanges, CommitId};

/// A commit to write, with the words and the vector by which queries find it.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitUpdate {
    pub commit: Commit,
    /// The words of its message. Empty for a commit without a message, or which changed nothing in the project.
    pub words: Vec<WordCount>,
    /// From the static model.
    pub vector: Option<Vec<f32>>,
}

/// A word of a commit message, as a hash: comparing words needs no more, and hashes load many times faster than text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordCount {
    pub word: u32,
    pub count: u8,
}

/// Everything in the history that a query is compared with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredHistory {
    /// The commit that the history was read from.
    pub head: Option<CommitId>,
    /// In the order in which they were written.
    pub commits: Vec<StoredCommit>,
    /// The files that the commits touched; [`StoredCommit::files`] are indices into this list.
    pub paths: Vec<String>,
}

/// A commit without its author, message and file names.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredCommit {
    pub id: CommitId,
    pub parents: Vec<CommitId>,
    pub time_secs: i64,
    /// Empty if the commit touched too many files, or if its files are unknown.
    pub files: Vec<u32>,
    pub words: Vec<WordCount>,
    /// Eight bits per component; empty if the commit has no vector.
    pub vector: Vec<i8>,
}

/// The part of a commit that is read only to display it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitText {
    pub author: String,
    pub message: String,
    pub changes: CommitChanges,
}
