//! Vectors of one transaction on their way into a `vec0` table.
//!
//! `vec0` keeps vectors in blocks, and to add one opens three blobs: 13 µs, as long as all else that is written of a chunk.
//! So whole blocks are written as it would have left them (its version is pinned), and only what does not fill one is given
//! to it.

use rusqlite::Connection;

use crate::contract::Stage;
use crate::quantize;
use crate::schema::VECTORS_PER_BLOCK;

#[derive(Debug)]
pub(crate) struct NewVectors {
    stage: Stage,
    rows: Vec<i64>,
    /// One vector after the other.
    bytes: Vec<u8>,
}

impl NewVectors {
    pub fn new(stage: Stage) -> Self {
        Self { stage, rows: Vec::new(), bytes: Vec::new() }
    }

    /// Rows must rise.
    pub fn push(&mut self, row: i64, vector: &[f32]) {
        self.rows.push(row);
        self.bytes.extend(quantize::as_blob(&quantize::to_int8(vector)));
    }

    /// Whether a row may be among them.
    pub fn reach(&self, row: i64) -> bool {
        self.rows.first().is_some_and(|first| *first <= row)
    }

    /// Writes all, in their order; there are none afterwards.
    pub fn write(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let (rows, bytes) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.bytes));
        let dimensions = bytes.len() / rows.len();
        let begun = rows.len().min(room(conn, self.stage)?);
        let (first, rows) = rows.split_at(begun);
        let (first_bytes, bytes) = bytes.split_at(begun * dimensions);
        insert(conn, self.stage, first, first_bytes)?;
        let (blocks, last) = rows.as_chunks::<VECTORS_PER_BLOCK>();
        let (block_bytes, last_bytes) = bytes.split_at(blocks.len() * VECTORS_PER_BLOCK * dimensions);
        for (rows, vectors) in blocks.iter().zip(block_bytes.chunks_exact(VECTORS_PER_BLOCK * dimensions)) {
            insert_block(conn, self.stage, rows, vectors)?;
        }
        insert(conn, self.stage, last, last_bytes)
    }
}

/// How many vectors go into the block that `vec0` has begun.
fn room(conn: &Connection, stage: Stage) -> rusqlite::Result<usize> {
    let table = stage.table();
    let mut last =
        conn.prepare_cached(&format!("SELECT validity FROM {table}_chunks ORDER BY chunk_id DESC LIMIT 1"))?;
    let mut found = last.query([])?;
    match found.next()? {
        Some(block) => {
            let validity = block.get_ref(0)?.as_blob()?;
            Ok(validity.iter().map(|bits| bits.count_zeros() as usize).sum())
        }
        None => Ok(0),
    }
}

fn insert(conn: &Connection, stage: Stage, rows: &[i64], bytes: &[u8]) -> rusqlite::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let sql = format!("INSERT INTO {} (rowid, embedding) VALUES (?, vec_int8(?))", stage.table());
    let mut insert = conn.prepare_cached(&sql)?;
    for (row, vector) in rows.iter().zip(bytes.chunks_exact(bytes.len() / rows.len())) {
        insert.execute((row, vector))?;
    }
    Ok(())
}

/// What `vec0` does as it begins a block, and for each of its vectors.
fn insert_block(
    conn: &Connection,
    stage: Stage,
    rows: &[i64; VECTORS_PER_BLOCK],
    vectors: &[u8],
) -> rusqlite::Result<()> {
    let table = stage.table();
    let rowids: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
    let block = conn
        .prepare_cached(&format!("INSERT INTO {table}_chunks (size, validity, rowids) VALUES (?, ?, ?)"))?
        .insert((VECTORS_PER_BLOCK, [u8::MAX; VECTORS_PER_BLOCK / 8], rowids))?;
    conn.prepare_cached(&format!(
        "INSERT INTO {table}_vector_chunks00 (_rowid_, rowid, vectors) VALUES (?1, ?1, ?2)"
    ))?
    .execute((block, vectors))?;
    let mut place = conn.prepare_cached(&format!(
        "INSERT INTO {table}_rowids (rowid, chunk_id, chunk_offset) VALUES (?, ?, ?)"
    ))?;
    rows.iter().enumerate().try_for_each(|(offset, row)| place.execute((row, block, offset)).map(drop))
}

#[cfg(test)]
mod tests {
    use rusqlite::types::Value;
    use vectorcode_core::VectorSpace;

    use super::*;
    use crate::SqliteWriter;
    use crate::contract::IndexSpaces;

    fn vector(row: i64) -> [f32; 8] {
        std::array::from_fn(|place| ((row * 31 + place as i64 * 7) % 127) as f32)
    }

    fn table(conn: &Connection, name: &str) -> Vec<Vec<Value>> {
        let mut select = conn.prepare(&format!("SELECT * FROM {name} ORDER BY 1")).unwrap();
        let columns = select.column_count();
        let rows = select.query_map([], |row| (0..columns).map(|column| row.get(column)).collect()).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    }

    #[test]
    fn blocks_are_left_as_vec0_would_leave_them() {
        let directory = tempfile::tempdir().unwrap();
        let space = VectorSpace::new("test", "test", 8);
        let spaces = IndexSpaces { statics: space.clone(), provider: space };
        let mut writer = SqliteWriter::create(&directory.path().join("index.db"), &spaces).unwrap();
        let conn = writer.connection();
        let mut row = 0;
        for (batch, count) in [3, 700, 10, 256, 0, 255, 1].into_iter().enumerate() {
            let mut vectors = NewVectors::new(Stage::Static);
            for _ in 0..count {
                row += 1;
                vectors.push(row, &vector(row));
                let bytes = quantize::as_blob(&quantize::to_int8(&vector(row)));
                insert(conn, Stage::Provider, &[row], &bytes).unwrap();
            }
            vectors.write(conn).unwrap();
            // Some of the last block are deleted again, as an edit does.
            for deleted in [row, row - 2].into_iter().filter(|_| batch == 2) {
                for stage in [Stage::Static, Stage::Provider] {
                    conn.execute(&format!("DELETE FROM {} WHERE rowid = ?", stage.table()), [deleted])
                        .unwrap();
                }
            }
        }
        for part in ["chunks", "rowids", "vector_chunks00"] {
            let [ours, theirs] = [Stage::Static, Stage::Provider]
                .map(|stage| table(conn, &format!("{}_{part}", stage.table())));
            assert!(!ours.is_empty() && ours == theirs, "{part}");
        }
        let read = |stage: Stage| table(conn, &format!("(SELECT rowid, embedding FROM {})", stage.table()));
        assert_eq!(read(Stage::Static), read(Stage::Provider));
    }
}
