//! Errors of reading the history.

use std::path::PathBuf;

use vectorcode_core::{Diagnose, ErrorKind};

use crate::refusal::Refusal;

#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("The git repository {path} cannot be read: {message}")]
    Repository { path: PathBuf, message: String },
    /// Its `.git` points elsewhere, or contains a file that git would not write. Nothing of it is used.
    #[error("The git data of {path} is not used: {reason}")]
    Refused { path: PathBuf, reason: String },
    #[error("{revision:?} is not a commit of this repository")]
    UnknownRevision { revision: String },
    /// An object is missing. It is not fetched: that is up to the user.
    #[error("The git repository {path} does not have {what}")]
    Missing { path: PathBuf, what: String, is_shallow: bool },
    /// The code that decodes objects panicked. A damaged repository must not end the process.
    #[error("The git repository {path} is damaged: reading it failed unexpectedly")]
    Damaged { path: PathBuf },
}

impl HistoryError {
    pub(crate) fn repository(path: impl Into<PathBuf>, error: impl std::fmt::Display) -> Self {
        Self::Repository { path: path.into(), message: error.to_string() }
    }

    pub(crate) fn refused(path: impl Into<PathBuf>, refusal: Refusal) -> Self {
        Self::Refused { path: path.into(), reason: refusal.0 }
    }

    /// Whether data that was read from this repository earlier must no longer be shown.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

impl Diagnose for HistoryError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownRevision { .. } => ErrorKind::User,
            Self::Repository { .. } | Self::Refused { .. } | Self::Missing { .. } | Self::Damaged { .. } => {
                ErrorKind::Environment
            }
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownRevision { revision } => Some(match revision.strip_prefix("pr/") {
                Some(number) => format!(
                    "`git fetch origin pull/{number}/head:refs/pull/{number}/head` fetches a pull request from GitHub."
                ),
                None => "Use a branch, a tag or a commit that `git log` shows.".into(),
            }),
            Self::Refused { .. } => {
                Some("A .git is only used if it has its own data; see docs/untrusted-sources.md.".into())
            }
            Self::Missing { is_shallow: true, .. } => {
                Some("It is a shallow clone; `git fetch --unshallow` downloads the rest.".into())
            }
            Self::Missing { .. } => {
                Some("`git fetch` may download it; `git fsck` lists what else is missing.".into())
            }
            Self::Repository { .. } | Self::Damaged { .. } => {
                Some("`git fsck` shows what is wrong with it.".into())
            }
        }
    }
}
