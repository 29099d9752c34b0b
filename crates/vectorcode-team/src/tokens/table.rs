//! The tokens of a running server: the current content of the file, ready for lookups.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::file::{TokenFile, TokenRecord};
use vectorcode_core::{Diagnose, VersionedCache};
use vectorcode_server::{AccessTokens, Grant, ServerError};

use crate::TeamError;

/// Follows changes of the file: a token that was just created or revoked takes effect with the next request.
#[derive(Debug)]
pub struct TokenTable {
    file: TokenFile,
    read: VersionedCache<FileStamp, Tokens>,
}

/// The tokens by hash. A lookup takes the same time however many there are, and its time reveals nothing about a token,
/// because nobody can choose how the hash of a guess begins.
type Tokens = HashMap<[u8; blake3::OUT_LEN], TokenRecord>;

/// Changes whenever the file is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp {
    modified: SystemTime,
    bytes: u64,
    number: u64,
}

impl FileStamp {
    /// `None` if there is no file.
    fn of(path: &Path) -> io::Result<Option<Self>> {
        let found = match std::fs::metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&found);
        #[cfg(not(unix))]
        let number = 0;
        Ok(Some(Self { modified: found.modified()?, bytes: found.len(), number }))
    }
}

impl TokenTable {
    pub fn new(file: TokenFile) -> Self {
        Self { file, read: VersionedCache::default() }
    }

    fn tokens(&self) -> Result<Option<Arc<Tokens>>, ServerError> {
        self.current()
            .map_err(|error| ServerError::AccessTokens { problem: error.to_string(), hint: error.hint() })
    }

    fn current(&self) -> Result<Option<Arc<Tokens>>, TeamError> {
        let failed = |error: io::Error| TeamError::PrivateFile {
            path: self.file.path().to_path_buf(),
            problem: error.to_string(),
        };
        let Some(stamp) = FileStamp::of(self.file.path()).map_err(failed)? else { return Ok(None) };
        let read = || {
            let records = self.file.records()?.unwrap_or_default();
            Ok(records.into_iter().filter_map(|record| Some((*record.hash()?.as_bytes(), record))).collect())
        };
        self.read.get_or_read(stamp, read).map(Some)
    }
}

impl AccessTokens for TokenTable {
    fn are_used(&self) -> Result<bool, ServerError> {
        Ok(self.tokens()?.is_some())
    }

    fn find(&self, token: &str) -> Result<Option<Grant>, ServerError> {
        let Some(tokens) = self.tokens()? else { return Ok(None) };
        let hash = blake3::hash(token.as_bytes());
        let found = tokens.get(hash.as_bytes()).filter(|found| !found.has_expired(jiff::Timestamp::now()));
        // Compared again, in constant time.
        Ok(found.filter(|found| found.hash() == Some(hash)).map(TokenRecord::grant))
    }

    fn valid_ids(&self) -> Result<HashSet<String>, ServerError> {
        let now = jiff::Timestamp::now();
        let tokens = self.tokens()?;
        let records = tokens.iter().flat_map(|tokens| tokens.values());
        Ok(records.filter(|token| !token.has_expired(now)).map(|token| token.id.clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_thousand_tokens_are_told_apart_and_a_file_that_others_may_write_admits_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tokens.json");
        let record = |number: u32| {
            let hash = blake3::hash(format!("token {number}").as_bytes()).to_hex().to_string();
            serde_json::json!({"id": &hash[..12], "name": number.to_string(), "hash": hash, "scope": "read", "created_at": ""})
        };
        let tokens: Vec<_> = (0..10_000).map(record).collect();
        let text = serde_json::json!({"version": 1, "entries": tokens}).to_string();
        vectorcode_core::private_files::create_new(&path, text.as_bytes()).unwrap();
        let table = TokenTable::new(TokenFile::new(path.clone()));
        let is_known = |token: &str| table.find(token).map(|grant| grant.is_some());
        assert!(table.are_used().unwrap());
        assert!(is_known("token 9999").unwrap());
        assert!(!is_known("token 10000").unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, &text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
            assert!(is_known("token 9999").is_err());
        }
    }
}
