//! A commit of the git history, as the index stores it.

use std::fmt;

use crate::hex::from_hex;

/// The id of a commit: a SHA-1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId([u8; CommitId::BYTES]);

impl CommitId {
    pub const BYTES: usize = 20;

    /// `None` if the length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Parses forty hexadecimal digits.
    pub fn from_hex(digits: &str) -> Option<Self> {
        Self::from_bytes(&from_hex(digits)?)
    }

    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// Whether `prefix` is a prefix of the id in hexadecimal digits. An empty prefix matches nothing.
    pub fn has_prefix(&self, prefix: &str) -> bool {
        !prefix.is_empty() && self.to_string().starts_with(&prefix.to_ascii_lowercase())
    }
}

/// Forty hexadecimal digits.
impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A commit: its author, time, message and changed files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub id: CommitId,
    pub parents: Vec<CommitId>,
    /// The committer date, in seconds since 1970.
    pub time_secs: i64,
    /// The author's name, without the e-mail address.
    pub author: String,
    /// Subject and body, truncated at a limit. Empty for a commit that changed nothing inside the project.
    pub message: String,
    pub changes: CommitChanges,
}

impl Commit {
    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// The files that a commit changed, compared with its first parent, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitChanges {
    /// Paths relative to the project root, with `/`, in tree order. Empty: it changed nothing inside the project.
    Files(Vec<String>),
    /// So many files that they say nothing about any one topic: an import of code, a changed licence header.
    TooMany,
    /// Not known: a merge, the oldest commit of a shallow clone, or an object that is missing.
    Unknown,
}

impl CommitChanges {
    /// The changed files; empty if they are too many or unknown.
    pub fn files(&self) -> &[String] {
        match self {
            Self::Files(files) => files,
            Self::TooMany | Self::Unknown => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_written_in_hexadecimal_and_known_by_its_beginning() {
        let id = CommitId::from_bytes(&[0xab; 20]).unwrap();
        assert_eq!(id.to_string(), "ab".repeat(20));
        assert!(id.has_prefix("ABab") && !id.has_prefix("abc") && !id.has_prefix(""));
        assert_eq!(CommitId::from_bytes(&[1; 19]), None);
        assert_eq!(CommitId::from_hex(&id.to_string()), Some(id));
        assert_eq!((CommitId::from_hex("abc"), CommitId::from_hex(&"zz".repeat(20))), (None, None));
    }
}
