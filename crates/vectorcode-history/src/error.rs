//! Why a history could not be read.

use std::path::PathBuf;

use vectorcode_core::{Diagnose, ErrorKind};

#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("The git repository {path} cannot be read: {message}")]
    Repository { path: PathBuf, message: String },
    #[error("{revision:?} is not a commit of this repository")]
    UnknownRevision { revision: String },
    /// A panic of the code that decodes objects. A damaged repository must not end the process.
    #[error("The git repository {path} is damaged: reading it failed unexpectedly")]
    Damaged { path: PathBuf },
}

impl HistoryError {
    pub(crate) fn repository(path: impl Into<PathBuf>, error: impl std::fmt::Display) -> Self {
        Self::Repository { path: path.into(), message: error.to_string() }
    }
}

impl Diagnose for HistoryError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownRevision { .. } => ErrorKind::User,
            Self::Repository { .. } | Self::Damaged { .. } => ErrorKind::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownRevision { .. } => {
                Some("Name a branch, a tag or a commit that `git log` knows.".into())
            }
            Self::Repository { .. } | Self::Damaged { .. } => {
                Some("`git fsck` says what is wrong with it.".into())
            }
        }
    }
}
