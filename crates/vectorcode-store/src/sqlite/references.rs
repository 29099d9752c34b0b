//! Reading imports and references to names, as the code graph asks for them.

use rusqlite::{Connection, Row};
use vectorcode_core::{Import, Reference};

use crate::contract::StoredReference;
use crate::sqlite::enum_codes;

/// Every import statement, in the order of paths and lines.
pub(crate) fn imports(conn: &Connection) -> rusqlite::Result<Vec<(String, Import)>> {
    let mut imports = conn.prepare_cached(
        "SELECT f.path, i.specifier, i.names, i.line, kind.name
         FROM imports AS i JOIN source_files AS f ON f.id = i.file_id JOIN labels AS kind ON kind.id = i.kind
         ORDER BY f.path, i.ordinal",
    )?;
    imports.query_map([], |row| Ok((row.get(0)?, import(row)?)))?.collect()
}

fn import(row: &Row<'_>) -> rusqlite::Result<Import> {
    let names = row.get_ref(2)?.as_str()?.split_whitespace().map(str::to_owned).collect();
    Ok(Import { specifier: row.get(1)?, names, line: row.get(3)?, kind: row.get(4)? })
}

const SELECT_REFERENCE: &str = "SELECT f.path, n.name, r.receiver, r.kind, r.line, r.enclosing
    FROM refs AS r JOIN names AS n ON n.id = r.name_id JOIN source_files AS f ON f.id = r.file_id";

/// The uses of exactly this name, in the order of paths and lines.
pub(crate) fn named(conn: &Connection, name: &str) -> rusqlite::Result<Vec<StoredReference>> {
    let sql = format!(
        "{SELECT_REFERENCE} WHERE n.name = ?1 COLLATE NOCASE AND n.name = ?1 ORDER BY f.path, r.ordinal"
    );
    let mut references = conn.prepare_cached(&sql)?;
    references
        .query_map([name], |row| Ok(StoredReference { path: row.get(0)?, reference: reference(row)? }))?
        .collect()
}

pub(crate) fn of_file(conn: &Connection, path: &str) -> rusqlite::Result<Vec<Reference>> {
    let sql = format!("{SELECT_REFERENCE} WHERE f.path = ? ORDER BY r.ordinal");
    conn.prepare_cached(&sql)?.query_map([path], reference)?.collect()
}

fn reference(row: &Row<'_>) -> rusqlite::Result<Reference> {
    Ok(Reference {
        name: row.get(1)?,
        receiver: row.get(2)?,
        kind: enum_codes::reference_of(row.get(3)?),
        line: row.get(4)?,
        enclosing: row.get(5)?,
    })
}
