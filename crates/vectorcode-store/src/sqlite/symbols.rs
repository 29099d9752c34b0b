//! Writing what was extracted from a file: definitions, references, imports.

use std::collections::HashSet;

use rusqlite::Connection;
use vectorcode_core::{Chunk, Definition, Import, ParsedFile, Reference};

use crate::sqlite::enum_codes;
use crate::sqlite::interner::Interner;
use crate::sqlite::multi_insert::MultiInsert;

/// Deletes what the index has of a file, and notes the names of it that nothing else may have.
pub(crate) fn delete(conn: &Connection, file_id: i64, released: &mut HashSet<i64>) -> rusqlite::Result<()> {
    let mut names = conn.prepare_cached(
        "SELECT name_id FROM symbols WHERE file_id = ?1 UNION SELECT name_id FROM refs WHERE file_id = ?1",
    )?;
    let mut rows = names.query([file_id])?;
    while let Some(row) = rows.next()? {
        released.insert(row.get(0)?);
    }
    for table in ["symbols", "refs", "imports"] {
        conn.prepare_cached(&format!("DELETE FROM {table} WHERE file_id = ?"))?.execute([file_id])?;
    }
    Ok(())
}

/// Writes what was extracted from the files of one transaction.
pub(crate) struct SymbolWriter<'c> {
    conn: &'c Connection,
    definitions: MultiInsert<'c>,
    references: MultiInsert<'c>,
    imports: MultiInsert<'c>,
}

impl<'c> SymbolWriter<'c> {
    pub fn new(conn: &'c Connection) -> rusqlite::Result<Self> {
        let definitions = "INSERT INTO symbols (file_id, ordinal, name_id, kind, chunk_id, start_line, end_line, byte_start,
             byte_end, name_line, qualified, signature)";
        let references = "INSERT INTO refs (file_id, ordinal, name_id, kind, line, enclosing, receiver)";
        let imports = "INSERT INTO imports (file_id, ordinal, kind, line, specifier, names)";
        Ok(Self {
            conn,
            definitions: MultiInsert::new(conn, definitions, 12)?,
            references: MultiInsert::new(conn, references, 7)?,
            imports: MultiInsert::new(conn, imports, 6)?,
        })
    }

    /// `homes` are the rows of the chunks that hold the names of the definitions.
    pub fn write_definitions(
        &mut self,
        interner: &mut Interner,
        file_id: i64,
        definitions: &[Definition],
        homes: &[i64],
    ) -> rusqlite::Result<()> {
        let rows: Vec<(i64, (&Definition, &i64))> = (0..).zip(definitions.iter().zip(homes)).collect();
        let conn = self.conn;
        self.definitions.insert(&rows, |values, (ordinal, (definition, home))| {
            let name_id = interner.defined_name(conn, &definition.name)?;
            let span = &definition.span;
            values.extend([file_id, *ordinal, name_id, enum_codes::kind_code(definition.kind), **home])?;
            values.extend([span.start_line, span.end_line, span.byte_start, span.byte_end])?;
            values.push(definition.name_line)?;
            values.push((definition.qualified != definition.name).then_some(&definition.qualified))?;
            values.push(&definition.signature)
        })
    }

    pub fn write_references<'r>(
        &mut self,
        interner: &mut Interner,
        file_id: i64,
        references: impl Iterator<Item = &'r Reference>,
    ) -> rusqlite::Result<()> {
        let rows: Vec<(i64, &Reference)> = (1..).zip(references).collect();
        let conn = self.conn;
        self.references.insert(&rows, |values, (ordinal, reference)| {
            let name_id = interner.used_name(conn, &reference.name)?;
            values.extend([file_id, *ordinal, name_id, enum_codes::reference_code(reference.kind)])?;
            values.push(reference.line)?;
            values.push(reference.enclosing)?;
            values.push(&reference.receiver)
        })
    }

    pub fn write_imports(
        &mut self,
        interner: &mut Interner,
        file_id: i64,
        imports: &[Import],
    ) -> rusqlite::Result<()> {
        let rows: Vec<(i64, &Import)> = (0..).zip(imports).collect();
        let conn = self.conn;
        self.imports.insert(&rows, |values, (ordinal, import)| {
            let kind = interner.label(conn, &import.kind)?;
            values.extend([file_id, *ordinal, kind, i64::from(import.line)])?;
            values.push(&import.specifier)?;
            values.push(import.names.join(" "))
        })
    }
}

/// For each definition, the place of the chunk that holds its name; none for a file without chunks.
pub(crate) fn homes(parsed: &ParsedFile) -> Vec<usize> {
    if parsed.chunks.is_empty() {
        return Vec::new();
    }
    parsed.definitions.iter().map(|definition| home(&parsed.chunks, definition)).collect()
}

/// Chunks are in file order. Where two share the line of the name, the one in which the definition begins.
fn home(chunks: &[Chunk], definition: &Definition) -> usize {
    let line = definition.name_line;
    let after = chunks.partition_point(|chunk| chunk.span.start_line <= line);
    let holding = (0..after).rev().take_while(|place| chunks[*place].span.end_line >= line);
    let begins_in =
        |place: &usize| chunks[*place].span.bytes().contains(&(definition.span.byte_start as usize));
    holding.clone().find(begins_in).or_else(|| holding.clone().next()).unwrap_or(after.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use vectorcode_core::{ContentClass, DefinitionKind, Span};

    use super::*;

    fn chunk(span: Span) -> Chunk {
        Chunk {
            path: "a.rs".into(),
            span,
            symbol: None,
            kind: "block".into(),
            further_kinds: Vec::new(),
            content: String::new(),
            parent_context: None,
            language: "rust".into(),
            class: ContentClass::Code,
            is_test: false,
        }
    }

    fn span(start_line: u32, end_line: u32, byte_start: u32, byte_end: u32) -> Span {
        Span { start_line, end_line, byte_start, byte_end }
    }

    fn home_of(name_line: u32, byte_start: u32) -> usize {
        let chunks = [chunk(span(1, 4, 0, 40)), chunk(span(4, 9, 40, 90)), chunk(span(12, 20, 95, 200))];
        let definition = Definition {
            name: "f".into(),
            qualified: "f".into(),
            kind: DefinitionKind::Function,
            signature: String::new(),
            span: span(name_line, name_line, byte_start, byte_start + 5),
            name_line,
        };
        home(&chunks, &definition)
    }

    #[test]
    fn a_definition_lives_where_its_name_stands() {
        assert_eq!([home_of(2, 10), home_of(6, 60), home_of(15, 120)], [0, 1, 2]);
        assert_eq!([home_of(4, 36), home_of(4, 44)], [0, 1], "two chunks on one line");
        assert_eq!(home_of(11, 92), 1, "a line that no chunk holds");
    }
}
