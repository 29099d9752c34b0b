//! Writing what was extracted from a file: definitions, references, imports.

use std::collections::HashSet;

use rusqlite::Connection;
use rustc_hash::FxHashSet;
use vectorcode_core::{Chunk, Definition, Import, ParsedFile, Reference};

use crate::sqlite::enum_codes;
use crate::sqlite::interner::Interner;

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

/// Writes the syntax of a file; `homes` are the rows of the chunks that hold the names of its definitions.
pub(crate) fn write(
    conn: &Connection,
    interner: &mut Interner,
    file_id: i64,
    parsed: &ParsedFile,
    homes: &[i64],
) -> rusqlite::Result<()> {
    write_definitions(conn, interner, file_id, parsed.definitions.iter().zip(homes))?;
    write_references(conn, interner, file_id, &parsed.references)?;
    write_imports(conn, interner, file_id, &parsed.imports)
}

fn write_definitions<'d>(
    conn: &Connection,
    interner: &mut Interner,
    file_id: i64,
    definitions: impl Iterator<Item = (&'d Definition, &'d i64)>,
) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO symbols (file_id, ordinal, name_id, kind, chunk_id, start_line, end_line, byte_start,
             byte_end, name_line, qualified, signature)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (ordinal, (definition, home)) in definitions.enumerate() {
        let name_id = interner.defined_name(conn, &definition.name)?;
        let span = &definition.span;
        insert.execute(rusqlite::params![
            file_id,
            ordinal,
            name_id,
            enum_codes::kind_code(definition.kind),
            home,
            span.start_line,
            span.end_line,
            span.byte_start,
            span.byte_end,
            definition.name_line,
            (definition.qualified != definition.name).then_some(&definition.qualified),
            definition.signature
        ])?;
    }
    Ok(())
}

/// A use that repeats within the same definition is stored once, with its first line.
fn write_references(
    conn: &Connection,
    interner: &mut Interner,
    file_id: i64,
    references: &[Reference],
) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO refs (file_id, ordinal, name_id, kind, line, enclosing, receiver)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    let mut seen = FxHashSet::default();
    for reference in references {
        let Reference { name, receiver, kind, line, enclosing } = reference;
        if seen.insert((name, receiver, kind, enclosing)) {
            let name_id = interner.used_name(conn, name)?;
            let kind = enum_codes::reference_code(*kind);
            insert.execute((file_id, seen.len(), name_id, kind, line, enclosing, receiver))?;
        }
    }
    Ok(())
}

fn write_imports(
    conn: &Connection,
    interner: &mut Interner,
    file_id: i64,
    imports: &[Import],
) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO imports (file_id, ordinal, kind, line, specifier, names) VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    for (ordinal, import) in imports.iter().enumerate() {
        let kind = interner.label(conn, &import.kind)?;
        let names = import.names.join(" ");
        insert.execute((file_id, ordinal, kind, import.line, &import.specifier, names))?;
    }
    Ok(())
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
