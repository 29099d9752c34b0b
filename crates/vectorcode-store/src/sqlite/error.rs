//! Turns failed statements into store errors.
//!
//! All statements are fixed and tested, and every value that is read was written by this crate. So if SQLite rejects a statement,
//! or a value has another type or is not UTF-8, the file is damaged. A violated constraint is different: this crate broke one of
//! its own rules, which [`super::repair`] fixes.

use std::fs::File;
use std::path::Path;

use rusqlite::{Error, ErrorCode, ffi};
use vectorcode_core::{is_resource_exhausted, private_files};

use crate::file_lock::UNKNOWN_HOLDER;
use crate::index::corrupt::Corrupt;
use crate::{StoreError, StoreErrorCode};

/// Determines the cause of a failed statement on the database at `path`.
pub(super) fn store_error(path: &Path, source: Error) -> StoreError {
    let error = match &source {
        // The pages are intact, or SQLite would have reported them: this program wrote rows that contradict each other.
        Error::SqliteFailure(failure, said) if failure.code == ErrorCode::ConstraintViolation => {
            StoreError::inconsistent(&path.display().to_string(), said.as_deref().unwrap_or("a constraint"))
        }
        Error::SqliteFailure(failure, _) | Error::SqlInputError { error: failure, .. } => {
            statement_error(path, *failure)
        }
        _ if is_unreadable(&source) => StoreError::damaged(path),
        _ => backend_error(path),
    };
    error.with_source(source)
}

fn statement_error(path: &Path, failure: ffi::Error) -> StoreError {
    match failure.code {
        ErrorCode::CannotOpen if !path.parent().is_some_and(Path::exists) => StoreError::not_initialized(),
        ErrorCode::CannotOpen if lacks_descriptors(path) => StoreError::no_descriptor(path),
        ErrorCode::OutOfMemory => StoreError::no_memory(path),
        ErrorCode::SystemIoFailure if failure.extended_code == ffi::SQLITE_IOERR_NOMEM => {
            StoreError::no_memory(path)
        }
        ErrorCode::ReadOnly if is_read_only_by_its_header(path, failure) => StoreError::damaged(path),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            StoreError::read_only(path)
        }
        ErrorCode::DiskFull => StoreError::disk_full(path),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::locked(UNKNOWN_HOLDER),
        ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::TypeMismatch
        | ErrorCode::TooBig
        | ErrorCode::NotFound => StoreError::damaged(path),
        // A missing table or column has no error code of its own.
        ErrorCode::Unknown if failure.extended_code == ffi::SQLITE_ERROR => StoreError::damaged(path),
        ErrorCode::SystemIoFailure if failure.extended_code == ffi::SQLITE_IOERR_SHORT_READ => {
            StoreError::damaged(path)
        }
        ErrorCode::SystemIoFailure => {
            StoreError::new(StoreErrorCode::Io, format!("cannot read or write {}", path.display()))
        }
        _ => backend_error(path),
    }
}

/// SQLite does not report why it could not open a file, so the directory is opened instead: closing another handle of the
/// database itself would drop SQLite's locks on it.
fn lacks_descriptors(path: &Path) -> bool {
    path.parent()
        .is_some_and(|directory| File::open(directory).is_err_and(|error| is_resource_exhausted(&error)))
}

/// A header that claims a later version of SQLite makes a database read-only even if the file system permits writing. The header
/// itself is not read: closing another handle of the file would drop SQLite's locks on it.
fn is_read_only_by_its_header(path: &Path, failure: ffi::Error) -> bool {
    failure.extended_code == ffi::SQLITE_READONLY
        && path.parent().is_some_and(private_files::is_writable)
        && private_files::is_writable_file(path)
}

fn backend_error(path: &Path) -> StoreError {
    StoreError::new(StoreErrorCode::Backend, format!("database error in {}", path.display()))
}

/// Whether a value has another type or range than what was written, or a required row is missing.
fn is_unreadable(error: &Error) -> bool {
    matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::InvalidColumnIndex(_)
            | Error::InvalidColumnName(_)
            | Error::Utf8Error(..)
            | Error::QueryReturnedNoRows
            | Error::QueryReturnedMoreThanOneRow
    )
}

impl From<Corrupt> for Error {
    fn from(_: Corrupt) -> Self {
        corrupt()
    }
}

/// The error for a value that has the right type but is impossible.
pub(super) fn corrupt() -> Error {
    Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), None)
}
