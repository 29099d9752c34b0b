//! Writes what was extracted from a file: definitions, and the names that it uses and imports.

use std::collections::HashSet;

use rusqlite::Connection;
use vectorcode_core::Definition;

use super::interner::Interner;
use super::multi_insert::{Target, insert_all};
use crate::index::enum_codes;

const SYMBOLS: Target = Target {
    table: "symbols",
    columns: "file_id, ordinal, name_id, kind, chunk_id, start_line, end_line, byte_start, byte_end, \
        name_line, qualified, signature",
};
const FILE_FACTS: Target = Target { table: "file_facts", columns: "file_id, uses, imports" };

/// Deletes the symbols of a file, and adds the names that may no longer be defined elsewhere to `released`.
pub(crate) fn delete(conn: &Connection, file_id: i64, released: &mut HashSet<i64>) -> rusqlite::Result<()> {
    let mut names = conn.prepare_cached("SELECT name_id FROM symbols WHERE file_id = ?")?;
    let mut rows = names.query([file_id])?;
    while let Some(row) = rows.next()? {
        released.insert(row.get(0)?);
    }
    for table in ["symbols", "file_facts"] {
        conn.prepare_cached(&format!("DELETE FROM {table} WHERE file_id = ?"))?.execute([file_id])?;
    }
    Ok(())
}

/// Collects what was extracted from the files of one transaction, and writes it at the end.
pub(crate) struct SymbolWriter<'c> {
    conn: &'c Connection,
    definitions: Vec<NewDefinition<'c>>,
    facts: Vec<PackedFacts>,
}

struct NewDefinition<'d> {
    file_id: i64,
    /// Its position in the file.
    ordinal: i64,
    name_id: i64,
    /// The row of the chunk that contains its name.
    defining_chunk: i64,
    definition: &'d Definition,
}

/// The references and imports of a file.
struct PackedFacts {
    file_id: i64,
    uses: Vec<u8>,
    imports: Vec<u8>,
}

impl<'c> SymbolWriter<'c> {
    pub fn new(conn: &'c Connection) -> Self {
        Self { conn, definitions: Vec::new(), facts: Vec::new() }
    }

    /// `defining_chunks` are the rows of the chunks that contain the names of the definitions.
    pub fn add_definitions(
        &mut self,
        interner: &mut Interner,
        file_id: i64,
        definitions: &'c [Definition],
        defining_chunks: &[i64],
    ) -> rusqlite::Result<()> {
        for (ordinal, (definition, defining_chunk)) in (0..).zip(definitions.iter().zip(defining_chunks)) {
            let name_id = interner.name(self.conn, &definition.name)?;
            self.definitions.push(NewDefinition {
                file_id,
                ordinal,
                name_id,
                defining_chunk: *defining_chunk,
                definition,
            });
        }
        Ok(())
    }

    /// Adds the packed references and imports of a file. A file without either gets no row.
    pub fn add_facts(&mut self, file_id: i64, uses: Vec<u8>, imports: Vec<u8>) {
        if !uses.is_empty() || !imports.is_empty() {
            self.facts.push(PackedFacts { file_id, uses, imports });
        }
    }

    pub fn write(&mut self) -> rusqlite::Result<()> {
        let rows = std::mem::take(&mut self.definitions);
        insert_all(self.conn, SYMBOLS, &rows, |values, new| {
            let definition = new.definition;
            let (kind, span) = (enum_codes::kind_code(definition.kind), &definition.span);
            values.extend([new.file_id, new.ordinal, new.name_id, kind, new.defining_chunk])?;
            values.extend([span.start_line, span.end_line, span.byte_start, span.byte_end])?;
            values.push(definition.name_line)?;
            values.push((definition.qualified != definition.name).then_some(&definition.qualified))?;
            values.push(&definition.signature)
        })?;
        let rows = std::mem::take(&mut self.facts);
        insert_all(self.conn, FILE_FACTS, &rows, |values, facts| {
            values.push(facts.file_id)?;
            values.extend([&facts.uses, &facts.imports])
        })
    }
}
