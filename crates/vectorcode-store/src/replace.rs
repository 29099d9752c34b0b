//! Replacing what the index has of a file.
//!
//! A chunk whose embedded text is the same as before keeps its row, and with it its full text and its vectors; only
//! its place in the file is written anew. So an edit costs what it changes.

use std::collections::{HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{CachedStatement, Connection, OptionalExtension};
use vectorcode_core::{Chunk, Definition, Import, Reference};

use crate::codes::{self, ChunkTraits};
use crate::contract::{FileUpdate, WriteOutcome};
use crate::fulltext::{self, SegmentBuilder};
use crate::interner::Interner;
use crate::quantize;

type TextHash = [u8; 16];

/// One transaction's worth of replaced and removed files.
pub(crate) struct Replacement<'t> {
    conn: &'t Connection,
    interner: &'t mut Interner,
    touched: &'t mut Vec<i64>,
    /// Names of rows that were deleted; some of them may be in no other row.
    released: HashSet<i64>,
    segment: SegmentBuilder,
    outcome: WriteOutcome,
}

/// A file's row, and the chunks that it had, by the hash of their text.
struct OldFile {
    id: i64,
    chunks: HashMap<TextHash, Vec<i64>>,
}

impl<'t> Replacement<'t> {
    pub fn new(conn: &'t Connection, interner: &'t mut Interner, touched: &'t mut Vec<i64>) -> Self {
        let (released, segment, outcome) = Default::default();
        Self { conn, interner, touched, released, segment, outcome }
    }

    pub fn finish(self) -> rusqlite::Result<WriteOutcome> {
        self.interner.release(self.conn, &self.released)?;
        self.segment.write(self.conn)?;
        fulltext::merge_where_due(self.conn)?;
        Ok(self.outcome)
    }

    pub fn remove_file(&mut self, path: &str) -> rusqlite::Result<()> {
        let Some(old) = self.old_file(path)? else { return Ok(()) };
        self.release_names(old.id)?;
        self.delete_chunks(old.chunks.into_values().flatten())?;
        self.cached("DELETE FROM files WHERE id = ?")?.execute([old.id])?;
        Ok(())
    }

    pub fn write_file(&mut self, update: &FileUpdate) -> rusqlite::Result<()> {
        let old = self.old_file(&update.parsed.path)?;
        let file_id = self.write_file_row(update)?;
        let mut kept = HashMap::new();
        if let Some(old) = old {
            self.release_names(file_id)?;
            self.delete_syntax(file_id)?;
            kept = old.chunks;
        }
        let rows = self.write_chunks(file_id, update, &mut kept)?;
        self.delete_chunks(kept.into_values().flatten())?;
        self.write_definitions(file_id, update, &rows)?;
        self.write_references(file_id, &update.parsed.references)?;
        self.write_imports(file_id, &update.parsed.imports)
    }

    fn cached(&self, sql: &str) -> rusqlite::Result<CachedStatement<'t>> {
        self.conn.prepare_cached(sql)
    }

    fn old_file(&self, path: &str) -> rusqlite::Result<Option<OldFile>> {
        let mut file = self.cached("SELECT id FROM files WHERE path = ?")?;
        let Some(id) = file.query_row([path], |row| row.get(0)).optional()? else { return Ok(None) };
        let mut select =
            self.cached("SELECT id, text_hash FROM chunks WHERE file_id = ? ORDER BY id DESC")?;
        let mut rows = select.query([id])?;
        let mut chunks: HashMap<TextHash, Vec<i64>> = HashMap::new();
        while let Some(row) = rows.next()? {
            chunks.entry(row.get(1)?).or_default().push(row.get(0)?);
        }
        Ok(Some(OldFile { id, chunks }))
    }

    fn write_file_row(&mut self, update: &FileUpdate) -> rusqlite::Result<i64> {
        let (state, parsed) = (&update.state, &update.parsed);
        let language = self.interner.label(self.conn, &parsed.language)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        let mut upsert = self.cached(
            "INSERT INTO files (path, mtime_ns, size, hash, language, class, flags, indexed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (path) DO UPDATE SET mtime_ns = ?2, size = ?3, hash = ?4, language = ?5, class = ?6,
                 flags = ?7, indexed_at = ?8
             RETURNING id",
        )?;
        let (class, flags) = (codes::class_code(parsed.class), codes::flags_code(parsed.flags));
        upsert.query_row(
            (&parsed.path, state.mtime_ns, state.size, state.hash, language, class, flags, now),
            |row| row.get(0),
        )
    }

    /// Writes the chunks, taking rows from `kept` where the text is known, and returns the row of each.
    fn write_chunks(
        &mut self,
        file_id: i64,
        update: &FileUpdate,
        kept: &mut HashMap<TextHash, Vec<i64>>,
    ) -> rusqlite::Result<Vec<i64>> {
        let parsed = &update.parsed;
        let homes = homes(&parsed.chunks, &parsed.definitions);
        let mut rows = Vec::with_capacity(parsed.chunks.len());
        for (place, chunk) in parsed.chunks.iter().enumerate() {
            let defined =
                parsed.definitions.iter().zip(&homes).filter(|(_, home)| **home == place).map(|(it, _)| it);
            let mut traits = ChunkTraits::new(chunk.is_test);
            defined.clone().for_each(|definition| traits.add(definition.kind));
            let hash = text_hash(chunk);
            let facts = ChunkFacts { file_id, mtime_ns: update.state.mtime_ns, chunk, traits, hash };
            let row = if let Some(row) = kept.get_mut(&hash).and_then(Vec::pop) {
                self.move_chunk(row, &facts)?;
                row
            } else {
                let row =
                    self.insert_chunk(&facts, update.static_vectors.get(place).and_then(Option::as_deref))?;
                self.segment.add(row, chunk, defined.map(|definition| definition.signature.as_str()));
                row
            };
            self.touched.push(row);
            rows.push(row);
        }
        Ok(rows)
    }

    fn move_chunk(&mut self, row: i64, facts: &ChunkFacts<'_>) -> rusqlite::Result<()> {
        let kind = self.interner.label(self.conn, &facts.chunk.kind)?;
        let span = &facts.chunk.span;
        let mut update = self.cached(
            "UPDATE chunks SET start_line = ?2, end_line = ?3, byte_start = ?4, byte_end = ?5, kind = ?6,
                 traits = ?7, pending = CASE WHEN pending IS NULL THEN NULL ELSE ?8 END
             WHERE id = ?1",
        )?;
        let place = (span.start_line, span.end_line, span.byte_start, span.byte_end);
        update.execute((row, place.0, place.1, place.2, place.3, kind, facts.traits.0, facts.mtime_ns))?;
        self.outcome.chunks_unchanged += 1;
        Ok(())
    }

    fn insert_chunk(&mut self, facts: &ChunkFacts<'_>, vector: Option<&[f32]>) -> rusqlite::Result<i64> {
        let kind = self.interner.label(self.conn, &facts.chunk.kind)?;
        let (chunk, span) = (facts.chunk, &facts.chunk.span);
        let row = self
            .cached(
                "INSERT INTO chunks (file_id, start_line, end_line, byte_start, byte_end, kind, traits, pending,
                     text_hash, symbol, parent_context)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .insert(rusqlite::params![
                facts.file_id,
                span.start_line,
                span.end_line,
                span.byte_start,
                span.byte_end,
                kind,
                facts.traits.0,
                facts.mtime_ns,
                facts.hash,
                chunk.symbol,
                chunk.parent_context
            ])?;
        self.cached("INSERT INTO chunk_text (id, content) VALUES (?, ?)")?.execute((row, &chunk.content))?;
        if let Some(vector) = vector {
            let bytes = quantize::as_blob(&quantize::to_int8(vector));
            self.cached("INSERT INTO vec_static (rowid, embedding) VALUES (?, vec_int8(?))")?
                .execute((row, bytes))?;
        }
        self.outcome.chunks_new += 1;
        Ok(row)
    }

    /// No foreign key reaches full text and vectors.
    fn delete_chunks(&mut self, rows: impl Iterator<Item = i64>) -> rusqlite::Result<()> {
        for row in rows {
            for sql in [
                "DELETE FROM vec_static WHERE rowid = ?",
                "DELETE FROM vec_chunks WHERE rowid = ?",
                "DELETE FROM chunks WHERE id = ?",
            ] {
                self.cached(sql)?.execute([row])?;
            }
            fulltext::forget(self.conn, row)?;
            self.touched.push(row);
        }
        Ok(())
    }

    fn release_names(&mut self, file_id: i64) -> rusqlite::Result<()> {
        let mut names = self.cached(
            "SELECT name_id FROM symbols WHERE file_id = ?1 UNION SELECT name_id FROM refs WHERE file_id = ?1",
        )?;
        let mut rows = names.query([file_id])?;
        while let Some(row) = rows.next()? {
            self.released.insert(row.get(0)?);
        }
        Ok(())
    }

    fn delete_syntax(&self, file_id: i64) -> rusqlite::Result<()> {
        for sql in [
            "DELETE FROM symbols WHERE file_id = ?",
            "DELETE FROM refs WHERE file_id = ?",
            "DELETE FROM imports WHERE file_id = ?",
        ] {
            self.cached(sql)?.execute([file_id])?;
        }
        Ok(())
    }

    fn write_definitions(&mut self, file_id: i64, update: &FileUpdate, rows: &[i64]) -> rusqlite::Result<()> {
        let parsed = &update.parsed;
        let homes = homes(&parsed.chunks, &parsed.definitions);
        let mut insert = self.cached(
            "INSERT INTO symbols (file_id, ordinal, name_id, kind, chunk_id, start_line, end_line, byte_start,
                 byte_end, name_line, qualified, signature)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        for (ordinal, (definition, home)) in parsed.definitions.iter().zip(homes).enumerate() {
            let Some(row) = rows.get(home) else { continue };
            let name_id = self.interner.defined_name(self.conn, &definition.name)?;
            let span = &definition.span;
            insert.execute(rusqlite::params![
                file_id,
                ordinal,
                name_id,
                codes::kind_code(definition.kind),
                row,
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
    fn write_references(&mut self, file_id: i64, references: &[Reference]) -> rusqlite::Result<()> {
        let mut insert = self.cached(
            "INSERT INTO refs (file_id, ordinal, name_id, kind, line, enclosing, receiver)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?;
        let mut seen = HashSet::with_capacity(references.len());
        for reference in references {
            let Reference { name, receiver, kind, line, enclosing } = reference;
            if seen.insert((name, receiver, kind, enclosing)) {
                let name_id = self.interner.used_name(self.conn, name)?;
                let kind = codes::reference_code(*kind);
                insert.execute((file_id, seen.len(), name_id, kind, line, enclosing, receiver))?;
            }
        }
        Ok(())
    }

    fn write_imports(&mut self, file_id: i64, imports: &[Import]) -> rusqlite::Result<()> {
        let mut insert = self.cached(
            "INSERT INTO imports (file_id, ordinal, kind, line, specifier, names) VALUES (?, ?, ?, ?, ?, ?)",
        )?;
        for (ordinal, import) in imports.iter().enumerate() {
            let kind = self.interner.label(self.conn, &import.kind)?;
            let names = import.names.join(" ");
            insert.execute((file_id, ordinal, kind, import.line, &import.specifier, names))?;
        }
        Ok(())
    }
}

/// What is written of a chunk, gathered.
struct ChunkFacts<'c> {
    file_id: i64,
    mtime_ns: i64,
    chunk: &'c Chunk,
    traits: ChunkTraits,
    hash: TextHash,
}

fn text_hash(chunk: &Chunk) -> TextHash {
    let hash = blake3::hash(chunk.embedding_text().as_bytes());
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// For each definition, the place of the chunk that holds its name. Both lists are in file order.
fn homes(chunks: &[Chunk], definitions: &[Definition]) -> Vec<usize> {
    let holds = |chunk: &Chunk, line: u32| (chunk.span.start_line..=chunk.span.end_line).contains(&line);
    definitions
        .iter()
        .map(|definition| {
            let after = chunks.partition_point(|chunk| chunk.span.start_line <= definition.name_line);
            let mut holding =
                (0..after).rev().take_while(|place| holds(&chunks[*place], definition.name_line));
            let last = holding.next().unwrap_or(after.saturating_sub(1));
            // Where two chunks share the line, the definition begins in one of them.
            holding
                .find(|place| chunks[*place].span.bytes().contains(&(definition.span.byte_start as usize)))
                .filter(|_| !chunks[last].span.bytes().contains(&(definition.span.byte_start as usize)))
                .unwrap_or(last)
        })
        .collect()
}
