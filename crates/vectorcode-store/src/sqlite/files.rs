//! Reads the table `source_files`.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row};
use vectorcode_core::{BlobId, file_name};

use crate::contract::{ContentVersion, FileState, SourceFile};
use crate::index::enum_codes;
use crate::sqlite::error::corrupt;

pub(super) fn states(conn: &Connection) -> rusqlite::Result<HashMap<String, FileState>> {
    let mut files =
        conn.prepare_cached("SELECT path, mtime_ns, size, hash, content_version, blob FROM source_files")?;
    files.query_map([], |row| Ok((row.get(0)?, state_of(row)?)))?.collect()
}

pub(super) fn state(conn: &Connection, path: &str) -> rusqlite::Result<Option<FileState>> {
    let mut file = conn.prepare_cached(
        "SELECT path, mtime_ns, size, hash, content_version, blob FROM source_files WHERE path = ?",
    )?;
    file.query_row([path], state_of).optional()
}

/// The files at these paths and below them.
pub(super) fn states_within(
    conn: &Connection,
    places: &[String],
) -> rusqlite::Result<HashMap<String, FileState>> {
    if places.iter().any(String::is_empty) {
        return states(conn);
    }
    let mut below = conn.prepare_cached(
        "SELECT path, mtime_ns, size, hash, content_version, blob FROM source_files WHERE path > ? AND path < ?",
    )?;
    let mut found = HashMap::new();
    for place in places {
        found.extend(state(conn, place)?.map(|state| (place.clone(), state)));
        // `0` is the character after `/`.
        let range = [format!("{place}/"), format!("{place}0")];
        for file in below.query_map(range, |row| Ok((row.get(0)?, state_of(row)?)))? {
            let (path, state) = file?;
            found.insert(path, state);
        }
    }
    Ok(found)
}

pub(super) fn state_of(row: &Row<'_>) -> rusqlite::Result<FileState> {
    let content_version = ContentVersion(row.get(4)?);
    let blob = row.get_ref(5)?.as_blob_or_null()?.map(|blob| BlobId::from_bytes(blob).ok_or_else(corrupt));
    let blob = blob.transpose()?;
    Ok(FileState { mtime_ns: row.get(1)?, size: row.get(2)?, hash: row.get(3)?, blob, content_version })
}

pub(super) fn count(conn: &Connection) -> rusqlite::Result<u64> {
    conn.prepare_cached("SELECT count(*) FROM source_files")?.query_row([], |row| row.get(0))
}

/// All files, ordered by path.
pub(super) fn source_files(conn: &Connection) -> rusqlite::Result<Vec<SourceFile>> {
    let mut files = conn.prepare_cached(
        "SELECT f.path, language.name, f.class, f.flags
         FROM source_files AS f JOIN labels AS language ON language.id = f.language ORDER BY f.path",
    )?;
    let files = files.query_map([], |row| {
        let flags = enum_codes::flags_of(row.get(3)?);
        let class = enum_codes::class_of(row.get(2)?);
        Ok(SourceFile { path: row.get(0)?, language: row.get(1)?, class, is_test: flags.test })
    })?;
    files.collect()
}

/// The paths of files with one of these names. This scans all paths, a millisecond for some thousand, and is only done for the
/// few queries that name a file.
pub(crate) fn named(conn: &Connection, file_names: &[&str]) -> rusqlite::Result<Vec<String>> {
    let mut select = conn.prepare_cached("SELECT path FROM source_files ORDER BY path")?;
    let mut rows = select.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let path = row.get_ref(0)?.as_str()?;
        let name = file_name(path);
        if file_names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name)) {
            found.push(path.to_owned());
        }
    }
    Ok(found)
}
