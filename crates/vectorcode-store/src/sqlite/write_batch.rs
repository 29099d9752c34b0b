//! Replaces and removes files in one transaction.
//!
//! A chunk whose text is unchanged keeps its row, and with it its full text and its vectors; only its position in the file is
//! updated. So an edit costs what it changes. If only the embedded text is unchanged, because a signature changed or another
//! version of the tokenizer wrote the chunk, the chunk gets a new row and takes over the provider vector. Text that several
//! versions of a file have in common is stored once: their chunks share one body.
//!
//! The new rows of all files are inserted together at the end, table by table: statements with many rows are cheapest, and few
//! files have enough chunks to fill one.

use std::collections::{HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};
use vectorcode_core::{Chunk, VectorSpace};

use super::checkouts::Checkout;
use super::fulltext::{self, SegmentInBackground};
use super::interner::Interner;
use super::multi_insert::{Target, insert_all};
use super::symbols::SymbolWriter;
use super::vectors::VectorWriter;
use super::{meta, symbols, trees};
use crate::contract::{ContentVersion, FileUpdate, WriteOutcome};
use crate::index::enum_codes;
use crate::index::fulltext::FileTerms;
use crate::index::pending_order::pending_order;
use crate::index::prepared_file::{PreparedChunk, PreparedFile, TextHash};
use crate::index::row_bitmap::RowBitmap;
use crate::index::stage::Stage;

const CHUNK_ROWS: Target = Target {
    table: "chunk_rows",
    columns: "id, file_id, start_line, end_line, byte_start, byte_end, kind, kinds, traits, pending, \
        text_hash, terms_hash, words, symbol, parent_context, body",
};
const CHUNK_TEXT: Target = Target { table: "chunk_text", columns: "id, content" };
const CHUNK_WORDS: Target = Target { table: "chunk_words", columns: "id, prints" };

/// The files that one transaction replaces and removes.
pub(crate) struct WriteBatch<'t> {
    conn: &'t Connection,
    /// The worktree whose files are written.
    checkout: Checkout,
    interner: &'t mut Interner,
    touched: &'t mut Vec<i64>,
    /// Ids of names whose definitions were deleted; some may have no other definition.
    released: HashSet<i64>,
    segment: SegmentInBackground,
    vectors: VectorWriter<'t>,
    symbols: SymbolWriter<'t>,
    new_chunks: Vec<NewChunk<'t>>,
    /// Old and new rows of replaced chunks, where the new one has the same embedded text.
    replaced: Vec<(i64, i64)>,
    /// Files with rows that are not inserted yet.
    unwritten_files: HashSet<i64>,
    /// The row of the next new chunk. Rows are never reused: a vector that arrives late must not be stored for another chunk.
    next_row: i64,
    /// Whether known provider vectors belong to the vector space of this index.
    takes_known: bool,
    /// The files of all indexed commits, loaded when first needed.
    files_of_commits: Option<RowBitmap>,
    /// Rows of existing and new chunks with the same embedded text, where the new one gets a copy of the provider vector.
    copied: Vec<(i64, i64)>,
    /// Bodies that new chunks share, but whose chunks are not inserted yet.
    awaited_bodies: HashSet<i64>,
    outcome: WriteOutcome,
}

/// The row of a file, and its chunks by the hash of their embedded text.
struct OldFile {
    id: i64,
    hash: [u8; 32],
    chunks: OldChunks,
}

type OldChunks = HashMap<TextHash, Vec<OldChunk>>;

#[derive(Clone, Copy, Debug)]
struct OldChunk {
    row: i64,
    terms_hash: i64,
    body: i64,
    /// The [`ContentVersion`] under which its file was written.
    version: ContentVersion,
}

impl<'t> WriteBatch<'t> {
    pub fn new(
        conn: &'t Connection,
        checkout: Checkout,
        interner: &'t mut Interner,
        touched: &'t mut Vec<i64>,
    ) -> rusqlite::Result<Self> {
        interner.begin_names(conn)?;
        let (released, segment, outcome) = Default::default();
        Ok(Self {
            conn,
            checkout,
            interner,
            touched,
            released,
            segment,
            vectors: VectorWriter::new(conn),
            symbols: SymbolWriter::new(conn),
            new_chunks: Vec::new(),
            replaced: Vec::new(),
            unwritten_files: HashSet::new(),
            next_row: next_row(conn)?,
            takes_known: false,
            files_of_commits: None,
            copied: Vec::new(),
            awaited_bodies: HashSet::new(),
            outcome,
        })
    }

    /// Accepts known provider vectors if `space` is the provider's space. Another process may have changed it since they were
    /// looked up.
    pub fn with_known_vectors(mut self, space: &VectorSpace) -> rusqlite::Result<Self> {
        self.takes_known = meta::space(self.conn, Stage::Provider)? == *space;
        Ok(self)
    }

    pub fn finish(mut self) -> rusqlite::Result<WriteOutcome> {
        self.insert_rows()?;
        self.segment.finish(self.conn, || {
            self.interner.write_names(self.conn)?;
            self.interner.release(self.conn, &self.released)?;
            self.vectors.finish()
        })?;
        fulltext::merge_due_segments(self.conn)?;
        meta::next_files_version(self.conn)?;
        Ok(self.outcome)
    }

    /// Removes a file from the worktree.
    pub fn remove_file(&mut self, path: &str) -> rusqlite::Result<()> {
        match self.old_file(path)? {
            Some(old) => self.give_up(old),
            None => Ok(()),
        }
    }

    /// Adds a stored file version to the files of the worktree.
    pub fn link_file(&mut self, file: i64, mtime_ns: i64) -> rusqlite::Result<()> {
        let path: String =
            self.cached("SELECT path FROM source_files WHERE id = ?")?.query_row([file], |row| row.get(0))?;
        if let Some(old) = self.checkout.file_at(self.conn, &path)?.filter(|old| *old != file) {
            let old = self.file_with_chunks(old)?;
            self.give_up(old)?;
        }
        self.checkout.take(self.conn, file, mtime_ns)
    }

    /// Logs the chunks of a file as touched, for readers that cache them.
    pub fn touch_chunks_of(&mut self, file: i64) -> rusqlite::Result<()> {
        let mut chunks = self.cached("SELECT id FROM chunk_rows WHERE file_id = ?")?;
        let mut rows = chunks.query([file])?;
        while let Some(row) = rows.next()? {
            self.touched.push(row.get(0)?);
        }
        Ok(())
    }

    /// Deletes a file version, regardless of what uses it.
    pub fn delete_file(&mut self, id: i64) -> rusqlite::Result<()> {
        let old = self.file_with_chunks(id)?;
        self.delete(old)
    }

    fn delete(&mut self, old: OldFile) -> rusqlite::Result<()> {
        symbols::delete(self.conn, old.id, &mut self.released)?;
        self.delete_chunks(old.chunks.into_values().flatten())?;
        self.cached("DELETE FROM checkout_files WHERE file_id = ?")?.execute([old.id])?;
        self.cached("DELETE FROM source_files WHERE id = ?")?.execute([old.id])?;
        Ok(())
    }

    /// Writes a file of the worktree. Its previous version stays if others use it.
    pub fn write_file(&mut self, update: &'t FileUpdate, prepared: PreparedFile) -> rusqlite::Result<()> {
        let (path, hash) = (&update.parsed.path, update.state.hash);
        let mut old = self.old_file(path)?;
        let mut released = None;
        if let Some(before) = old.take_if(|old| old.hash != hash) {
            if let Some(same) = self.content_at(path, hash)? {
                self.give_up(before)?;
                old = Some(same);
            } else if self.is_shared(before.id)? {
                self.release(&before)?;
                released = Some(before);
            } else {
                old = Some(before);
            }
        } else if old.is_none() {
            old = self.content_at(path, hash)?;
        }
        let siblings = self.siblings_at(path, old.as_ref(), released)?;
        let (file, kept) = old.map_or_else(Default::default, |old| (Some(old.id), old.chunks));
        let file_id = self.write_file_row(file, update, self.checkout.mark())?;
        if file.is_some() {
            symbols::delete(self.conn, file_id, &mut self.released)?;
        }
        if self.checkout != Checkout::Main {
            self.checkout.take(self.conn, file_id, update.state.mtime_ns)?;
        }
        self.write_content(file_id, update, prepared, kept, &siblings)
    }

    /// Writes a file version that no worktree has.
    pub fn park_content(&mut self, update: &'t FileUpdate, prepared: PreparedFile) -> rusqlite::Result<()> {
        let siblings = self.siblings_at(&update.parsed.path, None, None)?;
        let file_id = self.write_file_row(None, update, None)?;
        self.write_content(file_id, update, prepared, OldChunks::new(), &siblings)
    }

    /// Removes a file from the worktree, and from the index if nothing else uses it.
    fn give_up(&mut self, file: OldFile) -> rusqlite::Result<()> {
        if self.is_shared(file.id)? { self.release(&file) } else { self.delete(file) }
    }

    /// Removes a file from the worktree only.
    fn release(&mut self, file: &OldFile) -> rusqlite::Result<()> {
        self.checkout.release(self.conn, file.id)?;
        self.touched.extend(file.chunks.values().flatten().map(|chunk| chunk.row));
        Ok(())
    }

    /// Whether a commit or another worktree uses the file.
    fn is_shared(&mut self, file: i64) -> rusqlite::Result<bool> {
        Ok(self.checkout.shares(self.conn, file)? || self.is_of_commit(file)?)
    }

    fn is_of_commit(&mut self, file: i64) -> rusqlite::Result<bool> {
        let files = match self.files_of_commits.take() {
            Some(files) => files,
            None => trees::all_files(self.conn)?,
        };
        let is_of_commit = files.contains(file);
        self.files_of_commits = Some(files);
        Ok(is_of_commit)
    }

    /// Writes the content of a file. Reuses the rows of `kept` and deletes the remaining ones. Shares bodies with `siblings`,
    /// which stay.
    fn write_content(
        &mut self,
        file_id: i64,
        update: &'t FileUpdate,
        prepared: PreparedFile,
        mut kept: OldChunks,
        siblings: &OldChunks,
    ) -> rusqlite::Result<()> {
        let PreparedFile { chunks, terms, defining_chunks, uses, imports } = prepared;
        let rows = self.write_chunks(file_id, update, (chunks, terms), &mut kept, siblings)?;
        self.copy_vectors(siblings, &rows);
        self.delete_chunks(kept.into_values().flatten())?;
        let defining_chunks: Vec<i64> =
            defining_chunks.iter().filter_map(|place| rows.get(*place)).copied().collect();
        self.symbols.add_definitions(self.interner, file_id, &update.parsed.definitions, &defining_chunks)?;
        self.symbols.add_facts(file_id, uses, imports);
        self.unwritten_files.insert(file_id);
        Ok(())
    }

    fn cached(&self, sql: &str) -> rusqlite::Result<CachedStatement<'t>> {
        self.conn.prepare_cached(sql)
    }

    /// The file that the worktree has at a path.
    fn old_file(&mut self, path: &str) -> rusqlite::Result<Option<OldFile>> {
        let id = self.checkout.file_at(self.conn, path)?;
        id.map(|id| self.file_with_chunks(id)).transpose()
    }

    /// The stored file version at a path with this content hash, whatever uses it.
    fn content_at(&mut self, path: &str, hash: [u8; 32]) -> rusqlite::Result<Option<OldFile>> {
        let mut file = self.cached("SELECT id FROM source_files WHERE path = ? AND hash = ?")?;
        let id = file.query_row((path, hash), |row| row.get(0)).optional()?;
        id.map(|id| self.file_with_chunks(id)).transpose()
    }

    /// The chunks of other versions of the file that a new one is likely to share text with: the one that was `released` for it,
    /// that of the main worktree, and the one that was read last.
    fn siblings_at(
        &mut self,
        path: &str,
        replaced: Option<&OldFile>,
        released: Option<OldFile>,
    ) -> rusqlite::Result<OldChunks> {
        let known = replaced.or(released.as_ref()).map(|known| known.id);
        let mut others = self.cached(
            "SELECT id FROM source_files WHERE path = ? AND id IS NOT ? ORDER BY working IS NULL, id DESC LIMIT 2",
        )?;
        let others = others.query_map((path, known), |row| row.get(0))?;
        let others = others.collect::<rusqlite::Result<Vec<i64>>>()?;
        let mut siblings = released.map_or_else(OldChunks::new, |released| released.chunks);
        for file in others {
            for (hash, chunks) in self.file_with_chunks(file)?.chunks {
                siblings.entry(hash).or_default().extend(chunks);
            }
        }
        Ok(siblings)
    }

    fn file_with_chunks(&mut self, id: i64) -> rusqlite::Result<OldFile> {
        if self.unwritten_files.contains(&id) {
            self.insert_rows()?;
        }
        let mut file = self.cached("SELECT hash, content_version FROM source_files WHERE id = ?")?;
        let (hash, version) = file.query_row([id], |row| Ok((row.get(0)?, ContentVersion(row.get(1)?))))?;
        let mut select = self.cached(
            "SELECT id, text_hash, terms_hash, body FROM chunk_rows WHERE file_id = ? ORDER BY id DESC",
        )?;
        let mut rows = select.query([id])?;
        let mut chunks = OldChunks::new();
        while let Some(row) = rows.next()? {
            let (terms_hash, body) = (row.get(2)?, row.get(3)?);
            let chunk = OldChunk { row: row.get(0)?, terms_hash, body, version };
            chunks.entry(row.get(1)?).or_default().push(chunk);
        }
        Ok(OldFile { id, hash, chunks })
    }

    /// Inserts or updates the row of a file. Without a `mark`, an existing row keeps its `working` flag and its modification time
    /// in the main worktree.
    fn write_file_row(
        &mut self,
        id: Option<i64>,
        update: &FileUpdate,
        mark: Option<i64>,
    ) -> rusqlite::Result<i64> {
        let (state, parsed) = (&update.state, &update.parsed);
        let language = self.interner.label(self.conn, &parsed.language)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        let mut upsert = self.cached(
            "INSERT INTO source_files (id, path, mtime_ns, size, hash, language, class, flags, indexed_at, content_version,
                 blob, working)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             ON CONFLICT (id) DO UPDATE SET mtime_ns = iif(?12, ?3, mtime_ns), size = ?4, hash = ?5, language = ?6,
                 class = ?7, flags = ?8, indexed_at = ?9, content_version = ?10, blob = ?11, working = coalesce(?12, working)
             RETURNING id",
        )?;
        let (class, flags) = (enum_codes::class_code(parsed.class), enum_codes::flags_code(parsed.flags));
        let version = state.content_version.0;
        let values = params![
            id,
            parsed.path,
            state.mtime_ns,
            state.size,
            state.hash,
            language,
            class,
            flags,
            now,
            version,
            state.blob.map(|blob| *blob.as_bytes()),
            mark
        ];
        upsert.query_row(values, |row| row.get(0))
    }

    /// Writes the chunks, reusing rows of `kept` with the same text, and returns the row of each.
    fn write_chunks(
        &mut self,
        file_id: i64,
        update: &'t FileUpdate,
        (prepared, terms): (Vec<PreparedChunk>, FileTerms),
        kept: &mut OldChunks,
        siblings: &OldChunks,
    ) -> rusqlite::Result<Vec<i64>> {
        let order = pending_order(update.state.mtime_ns, update.parsed.flags);
        let (mut rows, mut places) = (Vec::with_capacity(prepared.len()), Vec::new());
        for (place, (chunk, mut prepared)) in update.parsed.chunks.iter().zip(prepared).enumerate() {
            let row = match kept.get_mut(&prepared.hash).and_then(Vec::pop) {
                Some(old) if old.terms_hash == prepared.terms_hash => {
                    self.move_chunk(old.row, chunk, &prepared, order)?
                }
                old => {
                    // A chunk whose text existed before keeps that chunk's vector, or its refusal.
                    if old.is_some() || !self.takes_known {
                        prepared.known_vector = None;
                    }
                    let order = prepared.known_vector.is_none().then_some(order);
                    let row = self.next_row;
                    self.next_row += 1;
                    self.replaced.extend(old.map(|old| (old.row, row)));
                    let (kind, kinds) = self.kinds(chunk)?;
                    let words = terms.words(place);
                    let same = same_among(siblings, &prepared, update.state.content_version);
                    let body = same.map_or(row, |same| same.body);
                    if body != row {
                        self.awaited_bodies.insert(body);
                    }
                    self.new_chunks.push(NewChunk {
                        row,
                        file_id,
                        order,
                        chunk,
                        prepared,
                        words,
                        kind,
                        kinds,
                        body,
                    });
                    places.push((row, place));
                    row
                }
            };
            rows.push(row);
        }
        self.touched.extend(&rows);
        self.segment.add(terms, places);
        Ok(rows)
    }

    fn move_chunk(
        &mut self,
        row: i64,
        chunk: &Chunk,
        prepared: &PreparedChunk,
        order: i64,
    ) -> rusqlite::Result<i64> {
        let (kind, kinds) = self.kinds(chunk)?;
        let span = &chunk.span;
        let mut update = self.cached(
            "UPDATE chunk_rows SET start_line = ?2, end_line = ?3, byte_start = ?4, byte_end = ?5, kind = ?6,
                 kinds = ?7, traits = ?8, pending = CASE WHEN pending IS NULL THEN NULL ELSE ?9 END
             WHERE id = ?1",
        )?;
        let place = (span.start_line, span.end_line, span.byte_start, span.byte_end);
        let traits = prepared.traits.0;
        update.execute((row, place.0, place.1, place.2, place.3, kind, kinds, traits, order))?;
        self.outcome.chunks_unchanged += 1;
        Ok(row)
    }

    /// The label of the chunk's kind, and that of all its kinds if there are several.
    fn kinds(&mut self, chunk: &Chunk) -> rusqlite::Result<(i64, Option<i64>)> {
        let kind = self.interner.label(self.conn, &chunk.kind)?;
        if chunk.further_kinds.is_empty() {
            return Ok((kind, None));
        }
        let all = format!("{} {}", chunk.kind, chunk.further_kinds.join(" "));
        Ok((kind, Some(self.interner.label(self.conn, &all)?)))
    }

    /// Inserts all new rows, and replaces old chunks with new ones.
    fn insert_rows(&mut self) -> rusqlite::Result<()> {
        self.unwritten_files.clear();
        self.insert_chunks()?;
        for (old, row) in std::mem::take(&mut self.replaced) {
            self.replace_chunk(old, row)?;
        }
        for (from, row) in std::mem::take(&mut self.copied) {
            if self.vectors.copy(Stage::Provider, from, row)? {
                self.cached("UPDATE chunk_rows SET pending = NULL WHERE id = ?")?.execute([row])?;
            }
        }
        self.symbols.write()
    }

    fn insert_chunks(&mut self) -> rusqlite::Result<()> {
        let new = std::mem::take(&mut self.new_chunks);
        insert_all(self.conn, CHUNK_ROWS, &new, |values, new| {
            let NewChunk { chunk, prepared, .. } = new;
            let span = &chunk.span;
            values.extend([new.row, new.file_id])?;
            values.extend([span.start_line, span.end_line, span.byte_start, span.byte_end])?;
            values.push(new.kind)?;
            values.push(new.kinds)?;
            values.push(prepared.traits.0)?;
            values.push(new.order)?;
            values.push(prepared.hash)?;
            values.push(prepared.terms_hash)?;
            values.push(new.words)?;
            values.extend([&chunk.symbol, &chunk.parent_context])?;
            values.push(new.body)
        })?;
        self.insert_bodies(&new)?;
        self.outcome.chunks_new += new.len() as u64;
        let (mut statics, mut known) = (Vec::with_capacity(new.len()), Vec::new());
        for NewChunk { row, body, prepared, .. } in new {
            match prepared.vector {
                Some(vector) if body != row => self.vectors.set_code(Stage::Static, row, Some(vector.code)),
                vector => statics.extend(vector.map(|vector| (row, vector))),
            }
            known.extend(prepared.known_vector.map(|vector| (row, vector)));
        }
        self.outcome.vectors_known += known.len() as u64;
        self.vectors.insert(Stage::Static, statics)?;
        self.vectors.insert(Stage::Provider, known)
    }

    fn insert_bodies(&mut self, new: &[NewChunk<'_>]) -> rusqlite::Result<()> {
        self.awaited_bodies.clear();
        let own: Vec<&NewChunk<'_>> = new.iter().filter(|new| new.body == new.row).collect();
        insert_all(self.conn, CHUNK_TEXT, &own, |values, new| {
            values.push(new.row)?;
            values.push(&new.chunk.content)
        })?;
        insert_all(self.conn, CHUNK_WORDS, &own, |values, new| {
            values.push(new.row)?;
            values.push(new.prepared.words.as_bytes())
        })
    }

    /// Records which of the new chunks get a copy of the vector of a chunk in another file version, by their texts.
    fn copy_vectors(&mut self, from: &OldChunks, rows: &[i64]) {
        // The chunks of this file come last.
        let newest = self.new_chunks.iter().rev().take(rows.len());
        let new = newest.filter(|new| new.order.is_some() && rows.contains(&new.row));
        self.copied.extend(new.filter_map(|new| Some((from.get(&new.prepared.hash)?.first()?.row, new.row))));
    }

    /// Replaces an old chunk with a new one that has the same embedded text, and moves the provider vector to it.
    fn replace_chunk(&mut self, old: i64, row: i64) -> rusqlite::Result<()> {
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
        Ok(())
    }

    fn delete_chunks(&mut self, chunks: impl Iterator<Item = OldChunk>) -> rusqlite::Result<()> {
        for chunk in chunks {
            self.delete_chunk(chunk.row)?;
        }
        Ok(())
    }

    pub fn delete_chunk(&mut self, row: i64) -> rusqlite::Result<()> {
        let mut delete = self.cached("DELETE FROM chunk_rows WHERE id = ? RETURNING words, body")?;
        let (words, body) = delete.query_row([row], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if self.segment.forget(row, words) {
            fulltext::mark_dead(self.conn, row)?;
        } else {
            fulltext::forget(self.conn, row, words)?;
        }
        self.delete_parts(row)?;
        self.release_body(body)
    }

    /// Deletes a body that no chunk uses.
    fn release_body(&mut self, body: i64) -> rusqlite::Result<()> {
        let mut used = self.cached(
            "SELECT EXISTS (SELECT 1 FROM chunk_rows WHERE id = ?1)
                 OR EXISTS (SELECT 1 FROM chunk_rows WHERE body = ?1 AND body <> id)",
        )?;
        if self.awaited_bodies.contains(&body) || used.query_row([body], |row| row.get(0))? {
            return Ok(());
        }
        self.cached("DELETE FROM chunk_text WHERE id = ?")?.execute([body])?;
        self.cached("DELETE FROM chunk_words WHERE id = ?")?.execute([body])?;
        self.cached("DELETE FROM vec_static WHERE id = ?")?.execute([body]).map(drop)
    }

    /// Deletes what is stored for this chunk alone.
    pub fn delete_parts(&mut self, row: i64) -> rusqlite::Result<()> {
        self.cached("DELETE FROM refused WHERE id = ?")?.execute([row])?;
        self.vectors.remove(row)?;
        self.touched.push(row);
        Ok(())
    }
}

/// A chunk that gets a new row.
struct NewChunk<'c> {
    row: i64,
    file_id: i64,
    /// Its position in the order of embedding; `None` if its vector is known.
    order: Option<i64>,
    chunk: &'c Chunk,
    prepared: PreparedChunk,
    /// The number of its words in full text.
    words: u32,
    kind: i64,
    kinds: Option<i64>,
    /// Its own row, or the body that it shares.
    body: i64,
}

/// An existing chunk with the same text, written by the same version of the program.
fn same_among(chunks: &OldChunks, new: &PreparedChunk, version: ContentVersion) -> Option<OldChunk> {
    let mut alike = chunks.get(&new.hash)?.iter();
    alike.find(|old| old.terms_hash == new.terms_hash && old.version == version).copied()
}

/// The row id after the highest that was ever used.
fn next_row(conn: &Connection) -> rusqlite::Result<i64> {
    let mut last = conn.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'chunk_rows'")?;
    let last: Option<i64> = last.query_row([], |row| row.get(0)).optional()?;
    Ok(last.unwrap_or_default().saturating_add(1))
}
