//! Errors of the store, named from the user's point of view. The backend's own error is kept as the source, for the log; callers
//! decide by [`StoreError::code`].

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

use vectorcode_core::{Diagnose, ErrorKind, VectorSpace, is_resource_exhausted};

/// What went wrong, as far as callers handle it differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreErrorCode {
    /// There is no index.
    NotInitialized,
    /// The vectors of the index come from another model than the configured one.
    ProviderMismatch,
    /// The index is damaged. It can be set aside and rebuilt from the sources.
    Damaged,
    /// Rows of the index contradict each other: a bug in this program. [`crate::IndexWriter::repair`] fixes the index.
    Inconsistent,
    /// The index or its directory cannot be written.
    ReadOnly,
    DiskFull,
    /// Another process holds the lock.
    Locked,
    /// The index was written by a newer version of the program.
    NewerSchema,
    /// A filter of the caller is invalid.
    InvalidFilter,
    /// An indexed commit was forgotten while it was being queried.
    TreeGone,
    /// A vector has the wrong number of dimensions for the index.
    WrongDimensions,
    /// A call to the operating system failed.
    Io,
    /// The database server cannot be reached, or the connection was lost.
    Unreachable,
    /// The database server rejected the connection or the request: user, password, database or version.
    Refused,
    /// The backend failed in a way that should not happen.
    Backend,
}

/// An error of a store.
pub struct StoreError {
    code: StoreErrorCode,
    message: String,
    /// Set where the advice depends on more than the code.
    hint: Option<&'static str>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    pub(crate) fn new(code: StoreErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, source: None }
    }

    pub(crate) fn with_source(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    pub(crate) fn with_hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    pub fn code(&self) -> StoreErrorCode {
        self.code
    }

    pub fn is_locked(&self) -> bool {
        self.code == StoreErrorCode::Locked
    }

    pub fn is_damaged(&self) -> bool {
        self.code == StoreErrorCode::Damaged
    }

    pub fn is_inconsistent(&self) -> bool {
        self.code == StoreErrorCode::Inconsistent
    }

    pub fn is_not_initialized(&self) -> bool {
        self.code == StoreErrorCode::NotInitialized
    }

    pub fn not_initialized() -> Self {
        Self::new(StoreErrorCode::NotInitialized, "Index not initialized. Run `vectorcode init` first.")
    }

    /// The index was created for another vector space than the configured one.
    pub fn provider_mismatch(index: &VectorSpace, configured: &VectorSpace) -> Self {
        let message = format!(
            "Index was created with provider '{}' ({}d) but current config uses '{}' ({}d). \
             Run `vectorcode index --full` to rebuild.",
            index.provider, index.dimensions, configured.provider, configured.dimensions
        );
        Self::new(StoreErrorCode::ProviderMismatch, message)
    }

    /// For a call that would write to the index of a commit.
    pub fn read_only_commit() -> Self {
        Self::new(StoreErrorCode::Backend, "the index of a commit is read-only")
    }

    pub fn tree_gone() -> Self {
        Self::new(StoreErrorCode::TreeGone, "the index was rebuilt while a commit was being queried")
    }

    pub(crate) fn damaged(path: &Path) -> Self {
        Self::new(StoreErrorCode::Damaged, format!("the index {} is damaged", path.display()))
    }

    /// `said` is the database's own message, which names the table.
    pub(crate) fn inconsistent(place: &str, said: &str) -> Self {
        let message = format!("rows of the index {place} contradict each other: {said}");
        Self::new(StoreErrorCode::Inconsistent, message)
    }

    pub(crate) fn locked(holder: &str) -> Self {
        Self::new(StoreErrorCode::Locked, format!("another process is writing this index: {holder}"))
    }

    pub(crate) fn read_only(path: &Path) -> Self {
        let message =
            format!("the index {} cannot be written: it or its directory is read-only", path.display());
        Self::new(StoreErrorCode::ReadOnly, message)
    }

    pub(crate) fn disk_full(path: &Path) -> Self {
        let message = format!("no space left on the disk that holds {}", path.display());
        Self::new(StoreErrorCode::DiskFull, message)
    }

    /// The process is out of file descriptors.
    pub(crate) fn no_descriptor(path: &Path) -> Self {
        let message = format!("cannot open {}: too many open files", path.display());
        Self::new(StoreErrorCode::Io, message).with_hint("Raise the limit of open files (ulimit -n).")
    }

    pub(crate) fn no_memory(path: &Path) -> Self {
        let message = format!("not enough memory to use {}", path.display());
        Self::new(StoreErrorCode::Io, message)
            .with_hint("Raise the limit of memory (ulimit -v), or free some.")
    }

    pub(crate) fn wrong_dimensions(expected: usize, found: usize) -> Self {
        let message =
            format!("a vector of {found} dimensions does not fit the space of {expected} dimensions");
        Self::new(StoreErrorCode::WrongDimensions, message)
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::read_only(path),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::disk_full(path),
            _ if is_resource_exhausted(&source) => Self::failed(action, path)
                .with_hint("Raise the limit of open files (ulimit -n) or of memory (ulimit -v)."),
            _ => Self::failed(action, path),
        }
        .with_source(source)
    }

    fn failed(action: &'static str, path: &Path) -> Self {
        Self::new(StoreErrorCode::Io, format!("cannot {action} {}", path.display()))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreError")
            .field("code", &self.code)
            .field("hint", &self.hint)
            .field("message", &self.message)
            .field("source", &self.source)
            .finish()
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}

impl Diagnose for StoreError {
    fn kind(&self) -> ErrorKind {
        match self.code {
            StoreErrorCode::NotInitialized
            | StoreErrorCode::ProviderMismatch
            | StoreErrorCode::InvalidFilter => ErrorKind::User,
            StoreErrorCode::Inconsistent | StoreErrorCode::WrongDimensions | StoreErrorCode::Backend => {
                ErrorKind::Bug
            }
            StoreErrorCode::Damaged
            | StoreErrorCode::ReadOnly
            | StoreErrorCode::DiskFull
            | StoreErrorCode::Locked
            | StoreErrorCode::NewerSchema
            | StoreErrorCode::Unreachable
            | StoreErrorCode::Refused
            | StoreErrorCode::TreeGone
            | StoreErrorCode::Io => ErrorKind::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        if let Some(hint) = self.hint {
            return Some(hint.to_owned());
        }
        let hint = match self.code {
            StoreErrorCode::Damaged => "Run `vectorcode index` to rebuild it from source.",
            StoreErrorCode::Inconsistent => {
                "Run `vectorcode index`: it repairs the index and keeps the vectors. Please report this bug in vectorcode."
            }
            StoreErrorCode::ReadOnly => {
                "Make the `.vectorcode` directory writable; searching works without it."
            }
            StoreErrorCode::DiskFull => "Free some space and run the command again; the index is unchanged.",
            StoreErrorCode::Locked => "Wait for it to finish, or stop it.",
            StoreErrorCode::NewerSchema => {
                "Run `vectorcode upgrade`, or `vectorcode index --full` to rebuild."
            }
            StoreErrorCode::WrongDimensions => "Run `vectorcode index --full` to rebuild the index.",
            StoreErrorCode::TreeGone => "Try again.",
            StoreErrorCode::InvalidFilter => "Globs look like `src/**/*.rs`.",
            StoreErrorCode::NotInitialized
            | StoreErrorCode::ProviderMismatch
            | StoreErrorCode::Io
            | StoreErrorCode::Unreachable
            | StoreErrorCode::Refused
            | StoreErrorCode::Backend => return None,
        };
        Some(hint.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mismatch_says_what_the_specification_says() {
        let index = VectorSpace::new("onnx", "code-minilm-l4", 384);
        let configured = VectorSpace::new("gemini", "gemini-embedding-001", 768);
        assert_eq!(
            StoreError::provider_mismatch(&index, &configured).to_string(),
            "Index was created with provider 'onnx' (384d) but current config uses 'gemini' (768d). \
             Run `vectorcode index --full` to rebuild."
        );
    }
}
