//! Reading back what syntax trees said: files, imports and uses of names, as the code graph asks for them.

use rusqlite::{Connection, Row};
use vectorcode_core::{Import, Reference};

use crate::codes;
use crate::contract::{SourceFile, StoredReference};

/// All files, in the order of their paths.
pub(crate) fn files(conn: &Connection) -> rusqlite::Result<Vec<SourceFile>> {
    let mut files = conn.prepare_cached(
        "SELECT f.path, language.name, f.class, f.flags
         FROM files AS f JOIN labels AS language ON language.id = f.language ORDER BY f.path",
    )?;
    let files = files.query_map([], |row| {
        let flags = codes::flags_of(row.get(3)?);
        let class = codes::class_of(row.get(2)?);
        Ok(SourceFile { path: row.get(0)?, language: row.get(1)?, class, is_test: flags.test })
    })?;
    files.collect()
}

/// Every import statement, in the order of paths and lines.
pub(crate) fn imports(conn: &Connection) -> rusqlite::Result<Vec<(String, Import)>> {
    let mut imports = conn.prepare_cached(
        "SELECT f.path, i.specifier, i.names, i.line, kind.name
         FROM imports AS i JOIN files AS f ON f.id = i.file_id JOIN labels AS kind ON kind.id = i.kind
         ORDER BY f.path, i.ordinal",
    )?;
    imports.query_map([], |row| Ok((row.get(0)?, import(row)?)))?.collect()
}

fn import(row: &Row<'_>) -> rusqlite::Result<Import> {
    let names = row.get_ref(2)?.as_str()?.split_whitespace().map(str::to_owned).collect();
    Ok(Import { specifier: row.get(1)?, names, line: row.get(3)?, kind: row.get(4)? })
}

const SELECT_REFERENCE: &str = "SELECT f.path, n.name, r.receiver, r.kind, r.line, r.enclosing
    FROM refs AS r JOIN names AS n ON n.id = r.name_id JOIN files AS f ON f.id = r.file_id";

/// The uses of exactly this name, in the order of paths and lines.
pub(crate) fn references_named(conn: &Connection, name: &str) -> rusqlite::Result<Vec<StoredReference>> {
    let sql = format!(
        "{SELECT_REFERENCE} WHERE n.name = ?1 COLLATE NOCASE AND n.name = ?1 ORDER BY f.path, r.ordinal"
    );
    let mut references = conn.prepare_cached(&sql)?;
    references
        .query_map([name], |row| Ok(StoredReference { path: row.get(0)?, reference: reference(row)? }))?
        .collect()
}

pub(crate) fn references_of(conn: &Connection, path: &str) -> rusqlite::Result<Vec<Reference>> {
    let sql = format!("{SELECT_REFERENCE} WHERE f.path = ? ORDER BY r.ordinal");
    conn.prepare_cached(&sql)?.query_map([path], reference)?.collect()
}

fn reference(row: &Row<'_>) -> rusqlite::Result<Reference> {
    Ok(Reference {
        name: row.get(1)?,
        receiver: row.get(2)?,
        kind: codes::reference_of(row.get(3)?),
        line: row.get(4)?,
        enclosing: row.get(5)?,
    })
}
