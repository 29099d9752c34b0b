//! The id that git gives a file's content.

use std::fmt;

/// The SHA-1 of the content with git's header. The same content has the same id in every commit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobId([u8; BlobId::BYTES]);

impl BlobId {
    pub const BYTES: usize = 20;

    /// `None` if the bytes were crafted to collide with other content.
    pub fn of(content: &[u8]) -> Option<Self> {
        let mut hasher = sha1dc::Hasher::new();
        hasher.update(format!("blob {}\0", content.len()).as_bytes());
        hasher.update(content);
        hasher.finalize().ok().map(|digest| Self(digest.into()))
    }

    /// `None` if the length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// Whether a file on disk has this content. On Windows, its line endings may differ from those in the repository.
    pub fn is_of(self, content: &[u8]) -> bool {
        Self::of(content) == Some(self) || Self::of(&with_unix_lines(content)) == Some(self)
    }
}

fn with_unix_lines(bytes: &[u8]) -> Vec<u8> {
    let mut lines = bytes.to_vec();
    let mut after = bytes.iter().skip(1).copied().chain([0]);
    lines.retain(|byte| after.next() != Some(b'\n') || *byte != b'\r');
    lines
}

/// Forty hexadecimal digits.
impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_has_the_name_that_git_gives_it() {
        let id = BlobId::of(b"hello\n").unwrap();
        assert_eq!(id.to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert!(id.is_of(b"hello\r\n") && !id.is_of(b"hello"));
    }
}
