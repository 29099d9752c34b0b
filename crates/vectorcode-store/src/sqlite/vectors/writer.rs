//! Writes vectors together with their codes.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::quantize;

use super::{codes, table};
use crate::index::stage::Stage;
use crate::index::vectors::{Block, BlockChanges, Code, CodeLayout, EncodedVector, block_of};
use crate::sqlite::multi_insert::{Target, insert_all};

/// The vectors of one transaction. Codes are written at its end, each block once.
pub(crate) struct VectorWriter<'c> {
    conn: &'c Connection,
    changes: BTreeMap<(Stage, i64), BlockChanges>,
}

impl<'c> VectorWriter<'c> {
    pub fn new(conn: &'c Connection) -> Self {
        Self { conn, changes: BTreeMap::new() }
    }

    pub fn insert(&mut self, stage: Stage, vectors: Vec<(i64, EncodedVector)>) -> rusqlite::Result<()> {
        let target = Target { table: table(stage), columns: "id, embedding" };
        insert_all(self.conn, target, &vectors, |values, (row, vector)| {
            values.push(row)?;
            values.push(&vector.blob)
        })?;
        for (row, vector) in vectors {
            self.set_code(stage, row, Some(vector.code));
        }
        Ok(())
    }

    /// Moves the vector of a chunk, if it has one, to another chunk.
    pub fn move_to(&mut self, stage: Stage, from: i64, to: i64) -> rusqlite::Result<()> {
        let sql = match stage {
            Stage::Static => "UPDATE vec_static SET id = ?2 WHERE id = ?1 RETURNING embedding",
            Stage::Provider => "UPDATE vec_provider SET id = ?2 WHERE id = ?1 RETURNING embedding",
        };
        let moved: Option<Vec<u8>> =
            self.conn.prepare_cached(sql)?.query_row([from, to], |row| row.get(0)).optional()?;
        if let Some(vector) = moved {
            self.set_code(stage, to, Some(code_of(&vector)));
        }
        Ok(())
    }

    /// Copies a vector to another chunk; false if there is none.
    pub fn copy(&mut self, stage: Stage, from: i64, to: i64) -> rusqlite::Result<bool> {
        let table = table(stage);
        let sql = format!(
            "INSERT INTO {table} (id, embedding) SELECT ?2, embedding FROM {table} WHERE id = ?1 RETURNING embedding"
        );
        let copied: Option<Vec<u8>> =
            self.conn.prepare_cached(&sql)?.query_row([from, to], |row| row.get(0)).optional()?;
        if let Some(vector) = &copied {
            self.set_code(stage, to, Some(code_of(vector)));
        }
        Ok(copied.is_some())
    }

    /// Makes a chunk invisible to vector searches, and deletes the vector that it does not share.
    pub fn remove(&mut self, row: i64) -> rusqlite::Result<()> {
        self.conn.prepare_cached("DELETE FROM vec_provider WHERE id = ?")?.execute([row])?;
        for stage in Stage::ALL {
            self.set_code(stage, row, None);
        }
        Ok(())
    }

    /// Sets the code by which searches find a chunk; `None` makes it invisible to them.
    pub fn set_code(&mut self, stage: Stage, row: i64, code: Option<Code>) {
        self.changes.entry((stage, block_of(row))).or_default().set(row, code);
    }

    pub fn finish(self) -> rusqlite::Result<()> {
        for ((stage, id), changes) in self.changes {
            let layout = codes::layout(self.conn, stage)?;
            let before = codes::read(self.conn, stage, id)?;
            let block = before.as_deref().map(|bytes| Block::parse(&layout, id, bytes)).transpose()?;
            let after = changes.apply(&layout, block);
            if after != before {
                codes::write(self.conn, stage, id, after.as_deref())?;
            }
        }
        Ok(())
    }
}

fn code_of(vector: &[u8]) -> Code {
    CodeLayout::of(vector.len()).encode(&quantize::from_blob(vector))
}
