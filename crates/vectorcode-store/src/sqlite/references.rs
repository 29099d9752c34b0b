//! Reads imports and references, for the code graph.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::{Import, Reference};

use crate::contract::StoredReference;
use crate::index::fulltext::used_term;
use crate::index::packed_facts::{unpack_imports, unpack_uses};
use crate::sqlite::error::corrupt;
use crate::sqlite::fulltext;
use crate::sqlite::hidden_rows::HiddenRows;

/// Every import statement, ordered by path and line.
pub(crate) fn imports(conn: &Connection) -> rusqlite::Result<Vec<(String, Import)>> {
    let mut facts = conn.prepare_cached(
        "SELECT f.path, u.imports FROM file_facts AS u JOIN source_files AS f ON f.id = u.file_id
         WHERE length(u.imports) > 0 ORDER BY f.path",
    )?;
    let mut rows = facts.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let path = row.get_ref(0)?.as_str()?;
        let imports = unpack_imports(row.get_ref(1)?.as_blob()?).ok_or_else(corrupt)?;
        all.extend(imports.into_iter().map(|import| (path.to_owned(), import)));
    }
    Ok(all)
}

/// The references to exactly this name, ordered by path and line.
pub(crate) fn named(
    conn: &Connection,
    hidden: &HiddenRows,
    name: &str,
) -> rusqlite::Result<Vec<StoredReference>> {
    let mut file = conn.prepare_cached("SELECT file_id FROM chunk_rows WHERE id = ?")?;
    let mut files = BTreeSet::new();
    for row in fulltext::rows_with(conn, hidden, &used_term(name))? {
        files.extend(file.query_row([row], |row| row.get::<_, i64>(0)).optional()?);
    }
    let mut facts = conn.prepare_cached(
        "SELECT f.path, u.uses FROM file_facts AS u JOIN source_files AS f ON f.id = u.file_id WHERE u.file_id = ?",
    )?;
    let mut references = Vec::new();
    for file in files {
        let found = facts.query_row([file], |row| {
            let uses = unpack_uses(row.get_ref(1)?.as_blob()?, |used| used == name).ok_or_else(corrupt)?;
            Ok((row.get::<_, String>(0)?, uses))
        });
        if let Some((path, uses)) = found.optional()? {
            let stored = |reference| StoredReference { path: path.clone(), reference };
            references.extend(uses.into_iter().map(stored));
        }
    }
    references.sort_by(|one: &StoredReference, other| one.path.cmp(&other.path));
    Ok(references)
}

pub(crate) fn of_file(conn: &Connection, path: &str) -> rusqlite::Result<Vec<Reference>> {
    let mut facts = conn.prepare_cached(
        "SELECT u.uses FROM file_facts AS u JOIN source_files AS f ON f.id = u.file_id WHERE f.path = ?",
    )?;
    let uses =
        facts.query_row([path], |row| unpack_uses(row.get_ref(0)?.as_blob()?, |_| true).ok_or_else(corrupt));
    Ok(uses.optional()?.unwrap_or_default())
}
