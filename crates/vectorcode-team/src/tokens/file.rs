//! The list of access tokens: one small file, readable only by its owner, replaced atomically.
//!
//! A token consists of 256 random bits, so its plain hash is as hard to invert as the token is to guess; neither a salt nor a
//! slow hash is needed. The token itself is shown once, when it is created.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use blake3::Hash;
use serde::{Deserialize, Serialize};
use vectorcode_core::api::ProjectFilter;
use vectorcode_core::config::Secret;
use vectorcode_server::{Grant, Scope};

use crate::TeamError;
use crate::private_list::PrivateList;

/// Prefix by which people and secret scanners recognise a token.
const PREFIX: &str = "vct_";
const RANDOM_BYTES: usize = 32;
/// Long enough to tell tokens apart in lists and logs.
const ID_LENGTH: usize = 12;
const MAX_NAME_LENGTH: usize = 64;

/// A token as it is stored: without the token itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    /// The beginning of the hash, which is not secret.
    pub id: String,
    /// What the token is for; unique in the file.
    pub name: String,
    /// Hash of the token, in hexadecimal.
    hash: String,
    pub scope: Scope,
    /// The projects that the token gives access to; empty for all.
    #[serde(default, skip_serializing_if = "ProjectFilter::is_all")]
    pub projects: ProjectFilter,
    /// ISO 8601.
    pub created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Overrides `server.requests_per_minute` for this token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
}

/// The properties of a new token.
#[derive(Clone, Debug)]
pub struct NewToken {
    pub name: String,
    pub scope: Scope,
    pub projects: ProjectFilter,
    pub expires_at: Option<jiff::Timestamp>,
    pub requests_per_minute: Option<u32>,
}

/// The list in a file, which need not exist yet.
#[derive(Clone, Debug)]
pub struct TokenFile {
    list: PrivateList<TokenRecord>,
}

impl TokenRecord {
    /// `None` for a record that was damaged by manual editing: it grants no access.
    pub(super) fn hash(&self) -> Option<Hash> {
        Hash::from_hex(&self.hash).ok()
    }

    pub(super) fn grant(&self) -> Grant {
        Grant {
            id: self.id.clone(),
            scope: self.scope,
            projects: self.projects.clone(),
            requests_per_minute: self.requests_per_minute,
        }
    }

    /// Whether the token has expired. A time that cannot be parsed counts as past.
    pub fn has_expired(&self, now: jiff::Timestamp) -> bool {
        let expires = self.expires_at.as_ref().map(|text| text.parse::<jiff::Timestamp>());
        expires.is_some_and(|expires| expires.map_or(true, |expires| expires <= now))
    }
}

impl TokenFile {
    pub fn new(path: PathBuf) -> Self {
        Self { list: PrivateList::new(path) }
    }

    pub(super) fn path(&self) -> &Path {
        self.list.path()
    }

    /// All tokens, sorted by name; `None` if no token was ever created.
    pub fn records(&self) -> Result<Option<Vec<TokenRecord>>, TeamError> {
        self.list.read()
    }

    /// Creates a token. It is not stored, so this is the only time that anybody sees it.
    pub fn create(&self, wanted: NewToken) -> Result<(TokenRecord, Secret), TeamError> {
        check_name(&wanted.name)?;
        let token = random_token()?;
        let hash = blake3::hash(token.expose().as_bytes()).to_hex().to_string();
        let record = TokenRecord {
            id: hash[..ID_LENGTH].to_owned(),
            name: wanted.name,
            hash,
            scope: wanted.scope,
            projects: wanted.projects,
            created_at: seconds(jiff::Timestamp::now()),
            expires_at: wanted.expires_at.map(seconds),
            requests_per_minute: wanted.requests_per_minute,
        };
        self.list.change(|tokens| {
            if tokens.iter().any(|known| known.name == record.name) {
                return Err(TeamError::TokenName { name: record.name.clone(), problem: "is taken" });
            }
            tokens.push(record.clone());
            tokens.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(())
        })?;
        Ok((record, token))
    }

    /// Revokes a token, given its name or id. `None` if there is no such token.
    pub fn revoke(&self, name_or_id: &str) -> Result<Option<TokenRecord>, TeamError> {
        if self.records()?.is_none() {
            return Ok(None);
        }
        self.list.change(|tokens| {
            let by_name = tokens.iter().position(|token| token.name == name_or_id);
            let place = by_name.or_else(|| tokens.iter().position(|token| token.id == name_or_id));
            Ok(place.map(|place| tokens.remove(place)))
        })
    }
}

fn check_name(name: &str) -> Result<(), TeamError> {
    let wrong = |problem| Err(TeamError::TokenName { name: name.to_owned(), problem });
    if name.trim().is_empty() || name.len() > MAX_NAME_LENGTH {
        return wrong("must have 1 to 64 bytes");
    }
    if name.chars().any(vectorcode_core::is_unprintable) {
        return wrong("has characters that cannot be shown");
    }
    Ok(())
}

fn random_token() -> Result<Secret, TeamError> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| TeamError::Random(error.to_string()))?;
    let mut token = String::from(PREFIX);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token.into())
}

fn seconds(time: jiff::Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(name: &str) -> NewToken {
        NewToken {
            name: name.into(),
            scope: Scope::Read,
            projects: ProjectFilter::default(),
            expires_at: None,
            requests_per_minute: None,
        }
    }

    #[test]
    fn a_token_is_kept_as_its_hash_until_it_is_revoked() {
        let dir = tempfile::tempdir().unwrap();
        let file = TokenFile::new(dir.path().join("data/tokens.json"));
        assert!(file.records().unwrap().is_none());
        let (record, token) = file.create(wanted("ci")).unwrap();
        assert!(token.expose().starts_with(PREFIX) && token.expose().len() == PREFIX.len() + 64);
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(!text.contains(&token.expose()[PREFIX.len()..]), "{text}");
        assert!(matches!(file.create(wanted("ci")), Err(TeamError::TokenName { .. })));
        assert!(matches!(file.create(wanted("a\u{1b}[2J")), Err(TeamError::TokenName { .. })));
        let (second, other) = file.create(wanted("web")).unwrap();
        assert_ne!(token, other);
        assert_eq!(file.revoke("web").unwrap(), Some(second));
        assert_eq!(file.revoke(&record.id).unwrap(), Some(record));
        assert_eq!(file.revoke("ci").unwrap(), None);
        assert_eq!(file.records().unwrap(), Some(Vec::new()), "it still says that tokens are in use");
    }

    #[test]
    fn a_time_that_is_over_or_unreadable_ends_a_token() {
        let now: jiff::Timestamp = "2026-11-16T00:00:00Z".parse().unwrap();
        let expires = |at: Option<&str>| {
            let record = serde_json::json!({"id": "1", "name": "n", "hash": "", "scope": "read", "created_at": "", "expires_at": at});
            serde_json::from_value::<TokenRecord>(record).unwrap().has_expired(now)
        };
        assert!(!expires(None) && !expires(Some("2026-11-16T00:00:01Z")));
        assert!(expires(Some("2026-11-16T00:00:00Z")) && expires(Some("some day")));
    }
}
