//! The repository's history in the index.

use vectorcode_core::{Commit, CommitChanges, CommitId};

/// A commit to be written, with what questions are compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitUpdate {
    pub commit: Commit,
    /// The words of its message. Empty for one that says nothing.
    pub words: Vec<WordCount>,
    /// Of the static model.
    pub vector: Option<Vec<f32>>,
}

/// A word of a message. Hashes are enough to compare words with words, and are read in a fraction of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordCount {
    pub word: u32,
    pub count: u8,
}

/// Everything of the history that can be compared with a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredHistory {
    /// The commit whose history it is.
    pub head: Option<CommitId>,
    /// In the order in which they were written.
    pub commits: Vec<StoredCommit>,
    /// The files of all commits; [`StoredCommit::files`] are indices into it.
    pub paths: Vec<String>,
}

/// A commit without its texts.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredCommit {
    pub id: CommitId,
    pub parents: Vec<CommitId>,
    pub time_secs: i64,
    /// Empty for a commit whose files are too many or not known.
    pub files: Vec<u32>,
    pub words: Vec<WordCount>,
    /// 8 bits a component; empty where there is none.
    pub vector: Vec<i8>,
}

/// What of a commit is only read to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitText {
    pub author: String,
    pub message: String,
    pub changes: CommitChanges,
}
