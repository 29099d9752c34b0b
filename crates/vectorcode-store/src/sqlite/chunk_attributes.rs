//! Loads the attributes of chunks from the database.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::index::chunk_attributes::{ChunkAttributes, ChunkEntry, FileEntry};
use crate::index::enum_codes::{self, TraitBits};

pub(crate) fn load(conn: &Connection) -> rusqlite::Result<ChunkAttributes> {
    let mut attributes = ChunkAttributes::default();
    attributes.set_labels(labels(conn)?);
    let mut files = conn.prepare("SELECT id, path, language, class FROM source_files")?;
    let mut rows = files.query([])?;
    while let Some(row) = rows.next()? {
        attributes.set_file(row.get(0)?, file_entry(row)?);
    }
    let mut chunks = conn.prepare("SELECT id, file_id, coalesce(kinds, kind), traits FROM chunk_rows")?;
    let mut rows = chunks.query([])?;
    while let Some(row) = rows.next()? {
        attributes.set_chunk(row.get(0)?, chunk_entry(row)?)?;
    }
    Ok(attributes)
}

fn labels(conn: &Connection) -> rusqlite::Result<HashMap<String, u32>> {
    let mut labels = conn.prepare_cached("SELECT name, id FROM labels")?;
    labels.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Reloads the attributes of these rows and of their files.
pub(crate) fn refresh(
    attributes: &mut ChunkAttributes,
    conn: &Connection,
    rows: &[i64],
) -> rusqlite::Result<()> {
    attributes.set_labels(labels(conn)?);
    let mut chunk = conn
        .prepare_cached("SELECT id, file_id, coalesce(kinds, kind), traits FROM chunk_rows WHERE id = ?")?;
    let mut file = conn.prepare_cached("SELECT id, path, language, class FROM source_files WHERE id = ?")?;
    let mut fresh_file = 0;
    for id in rows {
        let facts = chunk.query_row([id], chunk_entry).or_else(or_absent)?;
        attributes.set_chunk(*id, facts)?;
        if facts.file != 0 && facts.file != fresh_file {
            match file.query_row([facts.file], file_entry).optional()? {
                Some(entry) => attributes.set_file(facts.file, entry),
                // It is no longer in the tree.
                None => attributes.remove_file(facts.file),
            }
            fresh_file = facts.file;
        }
    }
    Ok(())
}

fn chunk_entry(row: &Row<'_>) -> rusqlite::Result<ChunkEntry> {
    Ok(ChunkEntry { file: row.get(1)?, kinds: row.get(2)?, traits: TraitBits(row.get(3)?) })
}

fn file_entry(row: &Row<'_>) -> rusqlite::Result<FileEntry> {
    Ok(FileEntry { path: row.get(1)?, language: row.get(2)?, class: enum_codes::class_of(row.get(3)?) })
}

fn or_absent(error: rusqlite::Error) -> rusqlite::Result<ChunkEntry> {
    match error {
        rusqlite::Error::QueryReturnedNoRows => Ok(ChunkEntry::default()),
        error => Err(error),
    }
}
