//! Telling a damaged index from a sound one, and putting it out of the way. The index is made from source and can be
//! made again, so damage is never a reason to stop working.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::Connection;

use crate::StoreError;
use crate::contract::Result;
use crate::database::{has_log, with_suffix};
use crate::schema;

/// Cheap checks that a file is a whole index of ours: a few reads, whatever its size. Damage inside is found by the
/// statement that meets it.
pub(crate) fn check(path: &Path, conn: &Connection) -> Result<()> {
    let damaged = || StoreError::Damaged { path: path.into(), set_aside: None };
    let facts = || -> rusqlite::Result<(i32, i64, u64, u64)> {
        let number = |pragma: &str| conn.pragma_query_value(None, pragma, |row| row.get::<_, u64>(0));
        let application = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
        Ok((application, schema::version(conn)?, number("page_count")?, number("page_size")?))
    };
    let (application, version, pages, page_size) =
        facts().map_err(|error| StoreError::sqlite(path, error))?;
    if application != schema::APPLICATION_ID || version < 1 {
        return Err(damaged());
    }
    if version > schema::CURRENT {
        return Err(StoreError::NewerSchema { path: path.into(), found: version, known: schema::CURRENT });
    }
    // While there is a log, the last pages may be in it alone.
    let truncated = path.metadata().is_ok_and(|file| file.len() < pages * page_size) && !has_log(path);
    if truncated { Err(damaged()) } else { Ok(()) }
}

/// Moves a damaged index, log and all, to a name that says so, and returns that name.
pub fn set_aside(path: &Path) -> Result<PathBuf> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis());
    let kept = with_suffix(path, &format!(".damaged-{now}"));
    std::fs::rename(path, &kept).map_err(|error| StoreError::io("move", path, error))?;
    let log = with_suffix(path, "-wal");
    if log.exists() {
        std::fs::rename(&log, with_suffix(&kept, "-wal"))
            .map_err(|error| StoreError::io("move", &log, error))?;
    }
    remove_file(&with_suffix(path, "-shm"))?;
    tracing::warn!(path = %path.display(), kept = %kept.display(), "set a damaged index aside");
    Ok(kept)
}

/// Removes a database with its log.
pub(crate) fn remove_database(path: &Path) -> Result<()> {
    ["", "-wal", "-shm"].iter().try_for_each(|suffix| remove_file(&with_suffix(path, suffix)))
}

fn remove_file(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::io("remove", path, error))
        }
        _ => Ok(()),
    }
}
