//! What can go wrong with the index, named from the user's side rather than from SQLite's.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use vectorcode_core::{Diagnose, ErrorKind, VectorSpace};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("Index not initialized. Run `vectorcode init` first.")]
    NotInitialized,

    #[error(
        "Index was created with provider '{expected}' ({expected_dims}d) but current config uses '{actual}' \
         ({actual_dims}d). Run `vectorcode index --full` to rebuild."
    )]
    ProviderMismatch { expected: String, expected_dims: usize, actual: String, actual_dims: usize },

    #[error("the index {} is damaged{}", path.display(), kept_as(set_aside.as_deref()))]
    Damaged {
        path: PathBuf,
        /// Where the damaged file was moved, when that was done.
        set_aside: Option<PathBuf>,
    },

    #[error("the index {} cannot be written: it or its directory is read-only", path.display())]
    ReadOnly { path: PathBuf },

    #[error("no space left on the disk that holds {}", path.display())]
    DiskFull { path: PathBuf },

    #[error("another process is writing this index: {by}")]
    Locked { by: String },

    #[error(
        "the index {} has schema {found}, made by a newer vectorcode; this one knows schemas up to {known}",
        path.display()
    )]
    NewerSchema { path: PathBuf, found: i64, known: i64 },

    #[error("a vector of {found} dimensions does not fit the space of {expected} dimensions")]
    WrongDimensions { expected: usize, found: usize },

    #[error("the path filter is not a valid glob: {message}")]
    InvalidGlob { message: String },

    #[error("cannot {action} {}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },

    #[error("database error in {}", path.display())]
    Sqlite { path: PathBuf, source: rusqlite::Error },
}

fn kept_as(set_aside: Option<&Path>) -> String {
    set_aside.map_or_else(String::new, |kept| format!("; it was kept as {}", kept.display()))
}

impl StoreError {
    /// The mismatch of the space that an index was made for with the one that is configured now.
    pub fn provider_mismatch(index: &VectorSpace, configured: &VectorSpace) -> Self {
        Self::ProviderMismatch {
            expected: index.provider.clone(),
            expected_dims: index.dimensions,
            actual: configured.provider.clone(),
            actual_dims: configured.dimensions,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { action, path, source },
        }
    }

    /// Names the cause behind a failed statement on the database at `path`.
    pub(crate) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_path_buf();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { path, set_aside: None }
            }
            Some(ErrorCode::CannotOpen) if !path.parent().is_some_and(Path::exists) => Self::NotInitialized,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                Self::ReadOnly { path }
            }
            Some(ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Locked { by: "its name is not known".into() }
            }
            _ => Self::Sqlite { path, source },
        }
    }
}

impl Diagnose for StoreError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotInitialized | Self::ProviderMismatch { .. } | Self::InvalidGlob { .. } => {
                ErrorKind::User
            }
            Self::WrongDimensions { .. } | Self::Sqlite { .. } => ErrorKind::Bug,
            _ => ErrorKind::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Damaged { .. } => "Run `vectorcode index` to rebuild it from source.",
            Self::ReadOnly { .. } => "Make the `.vectorcode` directory writable; searching works without it.",
            Self::DiskFull { .. } => {
                "Free some space and run the command again; the index is as it was before."
            }
            Self::Locked { .. } => "Wait for it to finish, or stop it.",
            Self::NewerSchema { .. } => "Run `vectorcode upgrade`, or `vectorcode index --full` to rebuild.",
            Self::WrongDimensions { .. } => "Run `vectorcode index --full` to rebuild the index.",
            Self::InvalidGlob { .. } => "Globs look like `src/**/*.rs`.",
            Self::NotInitialized | Self::ProviderMismatch { .. } | Self::Io { .. } | Self::Sqlite { .. } => {
                return None;
            }
        };
        Some(hint.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mismatch_says_what_the_specification_says() {
        let index = VectorSpace::new("onnx", "code-minilm-l3", 384);
        let configured = VectorSpace::new("gemini", "gemini-embedding-001", 768);
        assert_eq!(
            StoreError::provider_mismatch(&index, &configured).to_string(),
            "Index was created with provider 'onnx' (384d) but current config uses 'gemini' (768d). \
             Run `vectorcode index --full` to rebuild."
        );
    }

    #[test]
    fn a_damaged_index_says_where_it_was_kept() {
        let error =
            StoreError::Damaged { path: "a/index.db".into(), set_aside: Some("a/index.db.damaged-1".into()) };
        assert_eq!(error.to_string(), "the index a/index.db is damaged; it was kept as a/index.db.damaged-1");
        assert_eq!(error.kind(), ErrorKind::Environment);
    }
}
