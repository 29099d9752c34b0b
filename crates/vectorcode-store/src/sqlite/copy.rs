//! Beginning with the index of another checkout: what both have need not be read again.

use std::fs;
use std::path::Path;

use super::connection::open_or_create;
use super::database_file;
use super::error::store_error;
use super::reader::SqliteReader;
use super::rebuild::copy;
use crate::StoreError;
use crate::contract::Result;

/// Puts a copy of the index `other` at `path`, whole or not at all. SQLite copies it, which another process may be writing, and
/// which this one may have open.
pub(super) fn begin(path: &Path, other: &Path) -> Result<bool> {
    let draft = database_file::draft_of(path);
    database_file::remove(&draft)?;
    let copied = SqliteReader::open(other).and_then(|source| {
        let mut target = open_or_create(&draft)?;
        let failed = |error| store_error(&draft, error);
        // A draft that is lost is made again, so that it needs no log.
        target.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").map_err(failed)?;
        source.read(|source| copy(source, &mut target))
    });
    if let Err(error) = copied {
        tracing::info!(%error, other = %other.display(), "the index of another checkout cannot be copied");
        database_file::remove(&draft)?;
        return Ok(false);
    }
    fs::rename(&draft, path).map_err(|error| StoreError::io("create", path, error))?;
    Ok(true)
}
