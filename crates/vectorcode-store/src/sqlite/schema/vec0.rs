//! Schema 1 kept vectors in `vec0` virtual tables of the `sqlite-vec` extension. They are read here from the plain tables
//! in which the extension stored its blocks, so that the extension is not needed.

use rusqlite::{Connection, Transaction};

/// The tables behind a `vec0` table, by the suffix of their names.
const SHADOW_TABLES: [&str; 4] = ["info", "chunks", "rowids", "vector_chunks00"];

/// The tables of vectors as schemas 1 to 3 named them.
const VECTOR_TABLES: [&str; 2] = ["vec_static", "vec_chunks"];

/// Vectors by table and row.
pub(super) type Vectors = Vec<(&'static str, i64, Vec<u8>)>;

/// Takes all vectors out of the `vec0` tables and removes these. A new database has none.
pub(super) fn take_out(tx: &Transaction<'_>) -> rusqlite::Result<Vectors> {
    let mut vectors = Vec::new();
    for table in VECTOR_TABLES {
        let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)";
        if tx.query_row(sql, [format!("{table}_vector_chunks00")], |row| row.get(0))? {
            read_blocks(tx, table, &mut vectors)?;
            drop_virtual_table(tx, table)?;
        }
    }
    Ok(vectors)
}

pub(super) fn put_back(tx: &Transaction<'_>, vectors: &Vectors) -> rusqlite::Result<()> {
    for (table, row, vector) in vectors {
        let sql = format!(
            "INSERT INTO {table} (id, embedding) SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM chunks WHERE id = ?1)"
        );
        tx.prepare_cached(&sql)?.execute((row, vector))?;
    }
    Ok(())
}

/// A block holds the row ids of its vectors, the vectors one after the other, and a bit for each that is in use.
fn read_blocks(conn: &Connection, table: &'static str, vectors: &mut Vectors) -> rusqlite::Result<()> {
    let mut blocks = conn.prepare(&format!(
        "SELECT block.validity, block.rowids, stored.vectors
         FROM {table}_chunks AS block JOIN {table}_vector_chunks00 AS stored ON stored.rowid = block.chunk_id"
    ))?;
    let mut found = blocks.query([])?;
    while let Some(block) = found.next()? {
        let [validity, rowids, bytes] =
            [block.get_ref(0)?.as_blob()?, block.get_ref(1)?.as_blob()?, block.get_ref(2)?.as_blob()?];
        let rows = rowids.as_chunks::<8>().0;
        let dimensions = bytes.len() / rows.len().max(1);
        for (place, (row, vector)) in rows.iter().zip(bytes.chunks_exact(dimensions.max(1))).enumerate() {
            if validity.get(place / 8).is_some_and(|bits| bits >> (place % 8) & 1 == 1) {
                vectors.push((table, i64::from_le_bytes(*row), vector.to_vec()));
            }
        }
    }
    Ok(())
}

/// `DROP TABLE` of a virtual table needs its extension. Its entry in the schema is removed by hand instead, and then the
/// plain tables behind it.
fn drop_virtual_table(conn: &Connection, table: &str) -> rusqlite::Result<()> {
    conn.pragma_update(None, "writable_schema", "ON")?;
    conn.execute("DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?", [table])?;
    conn.pragma_update(None, "writable_schema", "RESET")?;
    SHADOW_TABLES
        .iter()
        .try_for_each(|suffix| conn.execute_batch(&format!("DROP TABLE IF EXISTS {table}_{suffix}")))
}
