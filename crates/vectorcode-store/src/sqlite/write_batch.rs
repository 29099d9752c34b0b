//! Replacing what the index has of a file.
//!
//! A chunk whose text is the same as before keeps its row, and with it its full text and its vectors; only its position in
//! the file is updated. So an edit costs what it changes. Where only the embedded text is the same, because a signature
//! changed or another version of the tokenizer wrote it, the chunk gets a new row and takes the provider's vector along.

use std::collections::{HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{CachedStatement, Connection, OptionalExtension};
use vectorcode_core::{Chunk, Definition};

use super::enum_codes::{self, TraitBits};
use super::fulltext::{self, SegmentBuilder};
use super::interner::Interner;
use super::stage::Stage;
use super::vectors::VectorWriter;
use super::{meta, symbols};
use crate::contract::{FileUpdate, WriteOutcome};

type TextHash = [u8; 16];

/// One transaction's worth of replaced and removed files.
pub(crate) struct WriteBatch<'t> {
    conn: &'t Connection,
    interner: &'t mut Interner,
    touched: &'t mut Vec<i64>,
    /// Names of rows that were deleted; some of them may be in no other row.
    released: HashSet<i64>,
    segment: SegmentBuilder,
    vectors: VectorWriter<'t>,
    outcome: WriteOutcome,
}

/// A file's row, and the chunks that it had, by the hash of their text.
struct OldFile {
    id: i64,
    chunks: OldChunks,
}

type OldChunks = HashMap<TextHash, Vec<OldChunk>>;

#[derive(Clone, Copy, Debug)]
struct OldChunk {
    row: i64,
    terms_hash: i64,
}

impl<'t> WriteBatch<'t> {
    pub fn new(conn: &'t Connection, interner: &'t mut Interner, touched: &'t mut Vec<i64>) -> Self {
        let (released, segment, outcome) = Default::default();
        let vectors = VectorWriter::new(conn);
        Self { conn, interner, touched, released, segment, vectors, outcome }
    }

    pub fn finish(self) -> rusqlite::Result<WriteOutcome> {
        self.interner.release(self.conn, &self.released)?;
        self.segment.write(self.conn)?;
        self.vectors.finish()?;
        fulltext::merge_where_due(self.conn)?;
        meta::next_files_version(self.conn)?;
        Ok(self.outcome)
    }

    pub fn remove_file(&mut self, path: &str) -> rusqlite::Result<()> {
        let Some(old) = self.old_file(path)? else { return Ok(()) };
        symbols::delete(self.conn, old.id, &mut self.released)?;
        self.delete_chunks(old.chunks.into_values().flatten())?;
        self.cached("DELETE FROM source_files WHERE id = ?")?.execute([old.id])?;
        Ok(())
    }

    pub fn write_file(&mut self, update: &FileUpdate) -> rusqlite::Result<()> {
        let old = self.old_file(&update.parsed.path)?;
        let file_id = self.write_file_row(update)?;
        let mut kept = HashMap::new();
        if let Some(old) = old {
            symbols::delete(self.conn, file_id, &mut self.released)?;
            kept = old.chunks;
        }
        let homes = symbols::homes(&update.parsed);
        let rows = self.write_chunks(file_id, update, &homes, &mut kept)?;
        self.delete_chunks(kept.into_values().flatten())?;
        let homes: Vec<i64> = homes.iter().filter_map(|place| rows.get(*place)).copied().collect();
        symbols::write(self.conn, self.interner, file_id, &update.parsed, &homes)
    }

    fn cached(&self, sql: &str) -> rusqlite::Result<CachedStatement<'t>> {
        self.conn.prepare_cached(sql)
    }

    fn old_file(&self, path: &str) -> rusqlite::Result<Option<OldFile>> {
        let mut file = self.cached("SELECT id FROM source_files WHERE path = ?")?;
        let Some(id) = file.query_row([path], |row| row.get(0)).optional()? else { return Ok(None) };
        let mut select = self
            .cached("SELECT id, text_hash, terms_hash FROM chunk_rows WHERE file_id = ? ORDER BY id DESC")?;
        let mut rows = select.query([id])?;
        let mut chunks = OldChunks::new();
        while let Some(row) = rows.next()? {
            let chunk = OldChunk { row: row.get(0)?, terms_hash: row.get(2)? };
            chunks.entry(row.get(1)?).or_default().push(chunk);
        }
        Ok(Some(OldFile { id, chunks }))
    }

    fn write_file_row(&mut self, update: &FileUpdate) -> rusqlite::Result<i64> {
        let (state, parsed) = (&update.state, &update.parsed);
        let language = self.interner.label(self.conn, &parsed.language)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        let mut upsert = self.cached(
            "INSERT INTO source_files (path, mtime_ns, size, hash, language, class, flags, indexed_at, content_version)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (path) DO UPDATE SET mtime_ns = ?2, size = ?3, hash = ?4, language = ?5, class = ?6,
                 flags = ?7, indexed_at = ?8, content_version = ?9
             RETURNING id",
        )?;
        let (class, flags) = (enum_codes::class_code(parsed.class), enum_codes::flags_code(parsed.flags));
        let version = state.content_version.0;
        upsert.query_row(
            (&parsed.path, state.mtime_ns, state.size, state.hash, language, class, flags, now, version),
            |row| row.get(0),
        )
    }

    /// Writes the chunks, taking rows from `kept` where the text is known, and returns the row of each.
    fn write_chunks(
        &mut self,
        file_id: i64,
        update: &FileUpdate,
        homes: &[usize],
        kept: &mut OldChunks,
    ) -> rusqlite::Result<Vec<i64>> {
        let chunks = &update.parsed.chunks;
        let mut defined: Vec<Vec<&Definition>> = vec![Vec::new(); chunks.len()];
        for (definition, home) in update.parsed.definitions.iter().zip(homes) {
            defined[*home].push(definition);
        }
        let vectors = update.static_vectors.iter().chain(std::iter::repeat(&None));
        let mut rows = Vec::with_capacity(chunks.len());
        for ((chunk, defined), vector) in chunks.iter().zip(defined).zip(vectors) {
            let facts = ChunkFacts::new(file_id, update.state.mtime_ns, chunk, &defined);
            let row = match kept.get_mut(&facts.hash).and_then(Vec::pop) {
                Some(old) if old.terms_hash == facts.terms_hash => self.move_chunk(old.row, &facts)?,
                Some(old) => self.replace_chunk(old.row, &facts, vector.as_deref())?,
                None => self.insert_chunk(&facts, vector.as_deref())?,
            };
            self.touched.push(row);
            rows.push(row);
        }
        Ok(rows)
    }

    fn move_chunk(&mut self, row: i64, facts: &ChunkFacts<'_>) -> rusqlite::Result<i64> {
        let (kind, kinds) = self.kinds(facts.chunk)?;
        let span = &facts.chunk.span;
        let mut update = self.cached(
            "UPDATE chunk_rows SET start_line = ?2, end_line = ?3, byte_start = ?4, byte_end = ?5, kind = ?6,
                 kinds = ?7, traits = ?8, pending = CASE WHEN pending IS NULL THEN NULL ELSE ?9 END
             WHERE id = ?1",
        )?;
        let place = (span.start_line, span.end_line, span.byte_start, span.byte_end);
        let traits = facts.traits.0;
        update.execute((row, place.0, place.1, place.2, place.3, kind, kinds, traits, facts.mtime_ns))?;
        self.outcome.chunks_unchanged += 1;
        Ok(row)
    }

    /// The label of its kind, and that of all its kinds where there are several.
    fn kinds(&mut self, chunk: &Chunk) -> rusqlite::Result<(i64, Option<i64>)> {
        let kind = self.interner.label(self.conn, &chunk.kind)?;
        if chunk.further_kinds.is_empty() {
            return Ok((kind, None));
        }
        let all = format!("{} {}", chunk.kind, chunk.further_kinds.join(" "));
        Ok((kind, Some(self.interner.label(self.conn, &all)?)))
    }

    fn insert_chunk(&mut self, facts: &ChunkFacts<'_>, vector: Option<&[f32]>) -> rusqlite::Result<i64> {
        let (kind, kinds) = self.kinds(facts.chunk)?;
        let (chunk, span) = (facts.chunk, &facts.chunk.span);
        let signatures = facts.defined.iter().map(|definition| definition.signature.as_str());
        let words = self.segment.add(chunk, signatures);
        let row = self
            .cached(
                "INSERT INTO chunk_rows (file_id, start_line, end_line, byte_start, byte_end, kind, kinds, traits, pending,
                     text_hash, terms_hash, words, symbol, parent_context)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .insert(rusqlite::params![
                facts.file_id,
                span.start_line,
                span.end_line,
                span.byte_start,
                span.byte_end,
                kind,
                kinds,
                facts.traits.0,
                facts.mtime_ns,
                facts.hash,
                facts.terms_hash,
                words,
                chunk.symbol,
                chunk.parent_context
            ])?;
        self.cached("INSERT INTO chunk_text (id, content) VALUES (?, ?)")?.execute((row, &chunk.content))?;
        self.segment.set_row(row);
        if let Some(vector) = vector {
            self.vectors.insert(Stage::Static, row, vector)?;
        }
        self.outcome.chunks_new += 1;
        Ok(row)
    }

    /// Writes a chunk again whose embedded text is that of `old`, so that its provider vector is kept.
    fn replace_chunk(
        &mut self,
        old: i64,
        facts: &ChunkFacts<'_>,
        vector: Option<&[f32]>,
    ) -> rusqlite::Result<i64> {
        let row = self.insert_chunk(facts, vector)?;
        self.vectors.move_to(Stage::Provider, old, row)?;
        self.cached("UPDATE refused SET id = ?2 WHERE id = ?1")?.execute([old, row])?;
        self.cached(
            "UPDATE chunk_rows SET pending = NULL
             WHERE id = ?2 AND (SELECT pending FROM chunk_rows WHERE id = ?1) IS NULL",
        )?
        .execute([old, row])?;
        self.delete_chunk(old)?;
        self.outcome.chunks_new -= 1;
        self.outcome.chunks_unchanged += 1;
        Ok(row)
    }

    fn delete_chunks(&mut self, chunks: impl Iterator<Item = OldChunk>) -> rusqlite::Result<()> {
        for chunk in chunks {
            self.delete_chunk(chunk.row)?;
        }
        Ok(())
    }

    /// Foreign keys delete its text and vectors; full text has none.
    fn delete_chunk(&mut self, row: i64) -> rusqlite::Result<()> {
        let mut delete = self.cached("DELETE FROM chunk_rows WHERE id = ? RETURNING words")?;
        let words = delete.query_row([row], |row| row.get(0))?;
        if self.segment.forget(row, words) {
            fulltext::mark_dead(self.conn, row)?;
        } else {
            fulltext::forget(self.conn, row, words)?;
        }
        self.vectors.remove(row);
        self.touched.push(row);
        Ok(())
    }
}

/// What is written of a chunk, gathered.
struct ChunkFacts<'c> {
    file_id: i64,
    mtime_ns: i64,
    chunk: &'c Chunk,
    defined: &'c [&'c Definition],
    traits: TraitBits,
    hash: TextHash,
    terms_hash: i64,
}

impl<'c> ChunkFacts<'c> {
    fn new(file_id: i64, mtime_ns: i64, chunk: &'c Chunk, defined: &'c [&'c Definition]) -> Self {
        let mut traits = TraitBits::new(chunk.is_test);
        for definition in defined {
            traits.add(definition.kind);
        }
        let (hash, terms_hash) = (text_hash(chunk), terms_hash(chunk, defined));
        Self { file_id, mtime_ns, chunk, defined, traits, hash, terms_hash }
    }
}

fn text_hash(chunk: &Chunk) -> TextHash {
    let hash = blake3::hash(chunk.embedding_text().as_bytes());
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// A hash of what full text indexes of a chunk beside its embedded text, and of how it does so.
fn terms_hash(chunk: &Chunk, defined: &[&Definition]) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&fulltext::TOKENIZER_VERSION.to_le_bytes());
    hasher.update(&[enum_codes::class_code(chunk.class) as u8]);
    let signatures = defined.iter().map(|definition| definition.signature.as_str());
    let parts = [chunk.symbol.as_deref(), chunk.parent_context.as_deref()].into_iter().flatten();
    for part in parts.chain(signatures) {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    i64::from_le_bytes(hasher.finalize().as_bytes().first_chunk().copied().unwrap_or_default())
}
