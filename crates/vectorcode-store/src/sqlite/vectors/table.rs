//! The tables of vectors: `vec_static` and `vec_chunks`, one row a vector.
//!
//! They were `vec0` tables of `sqlite-vec` once. Our own scan in memory never used what these offer, and blocks written in
//! the extension's format tied us to one version of it. Plain rows need no extension to be read (see
//! `docs/index-format.md`), and nothing of a hostile file is handed to code in C beyond SQLite itself.

use rusqlite::{Connection, OptionalExtension};

use super::{VectorMatrix, quantize};
use crate::sqlite::error::corrupt;
use crate::sqlite::meta;
use crate::sqlite::row_bitmap::checked_row;
use crate::sqlite::stage::Stage;

/// No model has as many; more is damage.
const MAX_DIMENSIONS: usize = 1 << 16;

pub(crate) fn insert(conn: &Connection, stage: Stage, row: i64, vector: &[f32]) -> rusqlite::Result<()> {
    let sql = match stage {
        Stage::Static => "INSERT INTO vec_static (id, embedding) VALUES (?, ?)",
        Stage::Provider => "INSERT INTO vec_chunks (id, embedding) VALUES (?, ?)",
    };
    conn.prepare_cached(sql)?.execute((row, quantize::as_blob(&quantize::to_int8(vector)))).map(drop)
}

/// Gives the vector of a chunk, if it has one, to another.
pub(crate) fn move_to(conn: &Connection, stage: Stage, from: i64, to: i64) -> rusqlite::Result<()> {
    let sql = match stage {
        Stage::Static => "UPDATE vec_static SET id = ?2 WHERE id = ?1",
        Stage::Provider => "UPDATE vec_chunks SET id = ?2 WHERE id = ?1",
    };
    conn.prepare_cached(sql)?.execute([from, to]).map(drop)
}

/// Reads all vectors of a stage.
pub(crate) fn load(conn: &Connection, stage: Stage) -> rusqlite::Result<VectorMatrix> {
    let dimensions = meta::dimensions(conn, stage)?;
    let table = stage.table();
    let count: usize = conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
    check_size(conn, dimensions, count)?;
    let mut matrix = VectorMatrix::with_capacity(dimensions, count);
    let mut select = conn.prepare_cached(&format!("SELECT id, embedding FROM {table} ORDER BY id"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        insert_checked(&mut matrix, row.get(0)?, row.get_ref(1)?.as_blob()?)?;
    }
    Ok(matrix)
}

/// A size that the file cannot hold is damage, and must be known before memory for it is asked for.
fn check_size(conn: &Connection, dimensions: usize, count: usize) -> rusqlite::Result<()> {
    let number = |pragma: &str| conn.pragma_query_value(None, pragma, |row| row.get::<_, u64>(0));
    let bytes = number("page_count")?.saturating_mul(number("page_size")?);
    let wanted = (dimensions as u64).saturating_mul(count as u64);
    if dimensions > MAX_DIMENSIONS || wanted > bytes { Err(corrupt()) } else { Ok(()) }
}

fn insert_checked(matrix: &mut VectorMatrix, row: i64, vector: &[u8]) -> rusqlite::Result<()> {
    if vector.len() != matrix.dimensions() {
        return Err(corrupt());
    }
    matrix.insert(checked_row(row)?, vector);
    Ok(())
}

/// Reads the vectors of these rows again.
pub(crate) fn refresh(
    matrix: &mut VectorMatrix,
    conn: &Connection,
    stage: Stage,
    rows: &[i64],
) -> rusqlite::Result<()> {
    let mut select = conn.prepare_cached(&format!("SELECT embedding FROM {} WHERE id = ?", stage.table()))?;
    for row in rows {
        let vector: Option<Vec<u8>> = select.query_row([row], |found| found.get(0)).optional()?;
        match vector {
            Some(vector) => insert_checked(matrix, *row, &vector)?,
            None => matrix.remove(*row),
        }
    }
    Ok(())
}
