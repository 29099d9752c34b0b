//! Writing what was extracted from a file: definitions, and the names that it uses and imports.

use std::collections::HashSet;

use rusqlite::Connection;
use vectorcode_core::{Chunk, Definition, ParsedFile};

use crate::sqlite::enum_codes;
use crate::sqlite::interner::Interner;
use crate::sqlite::multi_insert::{Target, insert_all};

const SYMBOLS: Target = Target {
    table: "symbols",
    columns: "file_id, ordinal, name_id, kind, chunk_id, start_line, end_line, byte_start, byte_end, \
        name_line, qualified, signature",
};
const FILE_FACTS: Target = Target { table: "file_facts", columns: "file_id, uses, imports" };

/// Deletes what the index has of a file, and notes the names of it that nothing else may have.
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

/// What was extracted from the files of one transaction, until it is written.
pub(crate) struct SymbolWriter<'c> {
    conn: &'c Connection,
    definitions: Vec<NewDefinition<'c>>,
    facts: Vec<PackedFacts>,
}

struct NewDefinition<'d> {
    file_id: i64,
    /// Its place in the file.
    ordinal: i64,
    name_id: i64,
    /// The row of the chunk that holds its name.
    home: i64,
    definition: &'d Definition,
}

/// What a file uses and imports.
struct PackedFacts {
    file_id: i64,
    uses: Vec<u8>,
    imports: Vec<u8>,
}

impl<'c> SymbolWriter<'c> {
    pub fn new(conn: &'c Connection) -> Self {
        Self { conn, definitions: Vec::new(), facts: Vec::new() }
    }

    /// `homes` are the rows of the chunks that hold the names of the definitions.
    pub fn add_definitions(
        &mut self,
        interner: &mut Interner,
        file_id: i64,
        definitions: &'c [Definition],
        homes: &[i64],
    ) -> rusqlite::Result<()> {
        for (ordinal, (definition, home)) in (0..).zip(definitions.iter().zip(homes)) {
            let name_id = interner.name(self.conn, &definition.name)?;
            self.definitions.push(NewDefinition { file_id, ordinal, name_id, home: *home, definition });
        }
        Ok(())
    }

    /// What the file uses and imports, packed. One without either has no row.
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
            values.extend([new.file_id, new.ordinal, new.name_id, kind, new.home])?;
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

/// The definitions whose names each chunk holds.
pub(crate) fn defined_in<'p>(parsed: &'p ParsedFile, homes: &[usize]) -> Vec<Vec<&'p Definition>> {
    let mut defined = vec![Vec::new(); parsed.chunks.len()];
    for (definition, home) in parsed.definitions.iter().zip(homes) {
        defined[*home].push(definition);
    }
    defined
}

/// The names that each chunk uses, each once.
pub(crate) fn used_names(parsed: &ParsedFile) -> Vec<Vec<&str>> {
    let chunks = &parsed.chunks;
    let mut used: Vec<Vec<&str>> = vec![Vec::new(); chunks.len()];
    for reference in &parsed.references {
        let after = chunks.partition_point(|chunk| chunk.span.start_line <= reference.line);
        if let Some(used) = used.get_mut(after.saturating_sub(1)) {
            used.push(&reference.name);
        }
    }
    for names in &mut used {
        names.sort_unstable();
        names.dedup();
    }
    used
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
