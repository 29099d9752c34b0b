//! Replaces files of a manifest, with a fixed number of round trips however many files there are.
//!
//! A chunk whose text is unchanged keeps its row, and with it its full text and its codes; only its position is updated. Texts
//! and vectors are keyed by the hash of their content, so another checkout may have written them already: a chunk whose text it
//! has embedded does not become pending.

use std::collections::{HashMap, HashSet};

use rustc_hash::FxHashMap;
use tokio_postgres::Row;
use vectorcode_core::{ParsedFile, VectorSpace, WordHashes, quantize};

use super::codes::CodeChanges;
use super::columns::{ChunkColumns, Chunks, Files, Moved, NameWordColumns, Symbols, Texts, Vectors};
use super::definitions::INDEXED_CHARACTERS;
use super::manifest::{Manifest, space_key};
use super::rows::{Hash, clean};
use super::segments;
use super::session::{Param, Query, Session};
use crate::contract::{FileUpdate, Result, WriteOutcome};
use crate::index::fulltext::{self, FileTerms, SegmentBuilder};
use crate::index::pending_order::pending_order;
use crate::index::stage::Stage;
use crate::index::symbols;

/// Like [`fulltext::used_term`], for names as the database stores them.
pub(super) fn used_term(name: &str) -> String {
    let indexed: String = name.chars().take(INDEXED_CHARACTERS).collect();
    fulltext::used_term(&clean(&indexed))
}

/// What a transaction wrote.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub outcome: WriteOutcome,
    /// The rows that readers have to reload.
    pub touched: Vec<i32>,
    /// Whether texts or vectors may have become garbage.
    pub has_deleted: bool,
}

#[derive(Clone, Copy, Debug)]
struct OldChunk {
    row: i32,
    terms_hash: i64,
    words: i32,
    is_pending: bool,
}

#[derive(Debug, Default)]
struct OldFile {
    id: i32,
    chunks: FxHashMap<Hash, Vec<OldChunk>>,
}

/// The files that one transaction replaces and removes, collected as columns.
pub(super) struct WriteBatch<'u> {
    manifest: &'u mut Manifest,
    /// The vector space of the provider vectors that come with the files.
    expected_space: &'u VectorSpace,
    old: HashMap<Hash, OldFile>,
    /// Names that the old versions of the files defined.
    released: HashSet<String>,
    segment: SegmentBuilder,
    codes: CodeChanges,
    files: Files<'u>,
    moved: Moved,
    chunks: Chunks,
    texts: FxHashMap<Hash, &'u str>,
    vectors: FxHashMap<Hash, Vec<u8>>,
    /// Provider vectors for texts that are new to this manifest.
    known_vectors: FxHashMap<Hash, Vec<u8>>,
    symbols: Symbols<'u>,
    /// The old and the new rows of chunks that were rewritten.
    replaced: (Vec<i32>, Vec<i32>),
    deleted: (Vec<i32>, Vec<i32>),
    gone_files: Vec<i32>,
    written: Written,
}

/// Replaces and removes files in the session's transaction.
pub(super) fn run(
    session: &mut Session,
    manifest: &mut Manifest,
    expected_space: &VectorSpace,
    (updates, removed): (&[FileUpdate], &[String]),
) -> Result<Written> {
    // If a path occurs twice, the last update counts.
    let last: HashMap<&str, usize> =
        updates.iter().enumerate().map(|(place, update)| (update.parsed.path.as_str(), place)).collect();
    let mut batch = WriteBatch::new(session, manifest, expected_space, last.keys().copied(), removed)?;
    for (place, update) in updates.iter().enumerate() {
        if last[update.parsed.path.as_str()] == place {
            batch.write_file(update);
        }
    }
    for path in removed {
        batch.remove_file(path);
    }
    batch.finish(session)
}

impl<'u> WriteBatch<'u> {
    fn new<'p>(
        session: &mut Session,
        manifest: &'u mut Manifest,
        expected_space: &'u VectorSpace,
        paths: impl Iterator<Item = &'p str>,
        removed: &'p [String],
    ) -> Result<Self> {
        let keys: Vec<Hash> =
            paths.chain(removed.iter().map(String::as_str)).map(|path| Hash::of(path.as_bytes())).collect();
        let content_lock = segments::content_lock(manifest.project);
        let shared: [Param<'_>; 1] = [&content_lock];
        let known: [Param<'_>; 3] = [&manifest.project, &manifest.id, &keys];
        let answers = session.pipeline(None, &[
            Query { sql: "SELECT pg_advisory_xact_lock_shared($1)", params: &shared },
            Query {
                sql: "SELECT path_key, file FROM files WHERE project = $1 AND manifest = $2 AND path_key = ANY($3)",
                params: &known,
            },
            Query {
                sql: "SELECT f.path_key, c.row, c.text_hash, c.terms_hash, c.words, c.pending IS NOT NULL FROM files AS f
                      JOIN chunks AS c ON c.project = f.project AND c.manifest = f.manifest AND c.file = f.file
                      WHERE f.project = $1 AND f.manifest = $2 AND f.path_key = ANY($3) ORDER BY c.row DESC",
                params: &known,
            },
            Query {
                sql: "SELECT DISTINCT s.name FROM files AS f
                      JOIN symbols AS s ON s.project = f.project AND s.manifest = f.manifest AND s.file = f.file
                      WHERE f.project = $1 AND f.manifest = $2 AND f.path_key = ANY($3)",
                params: &known,
            },
        ])?;
        Ok(Self {
            manifest,
            expected_space,
            old: old_files(&answers[1], &answers[2]),
            released: answers[3].iter().map(|row| row.get(0)).collect(),
            segment: SegmentBuilder::default(),
            codes: CodeChanges::default(),
            files: Files::default(),
            moved: Moved::default(),
            chunks: Chunks::default(),
            texts: FxHashMap::default(),
            vectors: FxHashMap::default(),
            known_vectors: FxHashMap::default(),
            symbols: Symbols::default(),
            replaced: Default::default(),
            deleted: Default::default(),
            gone_files: Vec::new(),
            written: Written::default(),
        })
    }

    fn remove_file(&mut self, path: &str) {
        let Some(old) = self.old.remove(&Hash::of(path.as_bytes())) else { return };
        self.gone_files.push(old.id);
        old.chunks.into_values().flatten().for_each(|chunk| self.delete_chunk(chunk));
    }

    fn delete_chunk(&mut self, chunk: OldChunk) {
        self.deleted.0.push(chunk.row);
        self.deleted.1.push(chunk.words);
        self.codes.remove(chunk.row);
        self.written.touched.push(chunk.row);
        self.written.has_deleted = true;
    }

    fn write_file(&mut self, update: &'u FileUpdate) {
        let parsed = &update.parsed;
        let key = Hash::of(parsed.path.as_bytes());
        let mut old = self.old.remove(&key).unwrap_or_default();
        if old.id == 0 {
            old.id = self.manifest.next_file;
            self.manifest.next_file += 1;
        }
        self.files.push(old.id, key, update);
        let defining_chunks = symbols::defining_chunks(parsed);
        let order = pending_order(update.state.mtime_ns, parsed.flags);
        let mut rows = Vec::with_capacity(parsed.chunks.len());
        let vectors = update.static_vectors.iter().chain(std::iter::repeat(&None));
        let known = update.known_vectors.iter().chain(std::iter::repeat(&None));
        for ((facts, vector), known) in
            chunk_facts(parsed, &defining_chunks).into_iter().zip(vectors).zip(known)
        {
            if let Some(known) = known {
                self.known_vectors.insert(facts.text_hash, quantize::as_blob(&quantize::to_int8(known)));
            }
            rows.push(self.write_chunk(old.id, order, &facts, vector.as_deref(), &mut old.chunks));
        }
        old.chunks.into_values().flatten().for_each(|chunk| self.delete_chunk(chunk));
        for (ordinal, (definition, chunk)) in parsed.definitions.iter().zip(&defining_chunks).enumerate() {
            self.symbols.push(old.id, ordinal as i32, rows[*chunk], definition);
        }
    }

    fn write_chunk(
        &mut self,
        file: i32,
        order: i64,
        facts: &ChunkColumns<'u>,
        vector: Option<&[f32]>,
        kept: &mut FxHashMap<Hash, Vec<OldChunk>>,
    ) -> i32 {
        let old = kept.get_mut(&facts.text_hash).and_then(Vec::pop);
        let row = match old {
            Some(old) if old.terms_hash == facts.terms_hash => {
                self.moved.push(old.row, order, facts);
                self.written.outcome.chunks_unchanged += 1;
                old.row
            }
            Some(old) => {
                let row = self.insert_chunk(file, old.is_pending.then_some(order), facts, vector);
                self.replaced.0.push(old.row);
                self.replaced.1.push(row);
                self.delete_chunk(old);
                self.written.outcome.chunks_unchanged += 1;
                row
            }
            None => {
                self.written.outcome.chunks_new += 1;
                self.insert_chunk(file, Some(order), facts, vector)
            }
        };
        self.written.touched.push(row);
        row
    }

    fn insert_chunk(
        &mut self,
        file: i32,
        pending: Option<i64>,
        facts: &ChunkColumns<'u>,
        vector: Option<&[f32]>,
    ) -> i32 {
        let row = self.manifest.next_row;
        self.manifest.next_row += 1;
        let signatures = facts.defined.iter().map(|definition| definition.signature.as_str());
        let mut terms = FileTerms::default();
        terms.add(facts.chunk, signatures);
        facts.used.iter().for_each(|name| terms.add_term(&used_term(name)));
        let words = terms.words(0);
        self.segment.begin_file(&terms);
        self.segment.add(row.into(), &terms, 0);
        let content = facts.chunk.content.as_str();
        let content_hash = Hash::of(content.as_bytes());
        self.texts.insert(content_hash, content);
        if let Some(vector) = vector {
            let vector = quantize::to_int8(vector);
            self.codes.set(Stage::Static, row, &vector);
            self.vectors.insert(facts.text_hash, quantize::as_blob(&vector));
        }
        self.chunks.push(row, file, pending, words.cast_signed(), content_hash, facts);
        row
    }

    fn finish(mut self, session: &mut Session) -> Result<Written> {
        self.adopt_vectors(session)?;
        segments::forget(session, self.manifest, &self.deleted.0, &self.deleted.1)?;
        self.write_rows(session)?;
        self.write_names(session)?;
        segments::write(session, self.manifest, &self.segment)?;
        self.codes.write(session, self.manifest)?;
        segments::merge_due_segments(session, self.manifest)?;
        self.written.touched.sort_unstable();
        self.written.touched.dedup();
        Ok(self.written)
    }

    /// Adopts the provider vectors that any checkout already has for the texts of new chunks, and those that came with the files.
    fn adopt_vectors(&mut self, session: &mut Session) -> Result<()> {
        if self.chunks.rows.is_empty() {
            self.known_vectors.clear();
            return Ok(());
        }
        let space = self.manifest.space(Stage::Provider).ok_or_else(|| session.damaged())?;
        let key = space_key(&space);
        let found = session.query(
            "SELECT hash, vector FROM vectors WHERE project = $1 AND space = $2 AND hash = ANY($3)",
            &[&self.manifest.project, &key, &self.chunks.text_hashes],
        )?;
        let mut found: FxHashMap<Hash, &[u8]> = found.iter().map(|row| (row.get(0), row.get(1))).collect();
        // Another process may have changed the provider since these vectors were looked up.
        if space != *self.expected_space {
            self.known_vectors.clear();
        }
        for (hash, vector) in &self.known_vectors {
            found.entry(*hash).or_insert(vector);
        }
        let is_known = |hash: &&Hash| self.known_vectors.contains_key(hash);
        self.written.outcome.vectors_known = self.chunks.text_hashes.iter().filter(is_known).count() as u64;
        for place in 0..self.chunks.rows.len() {
            if let Some(vector) = found.get(&self.chunks.text_hashes[place]) {
                self.chunks.pending[place] = None;
                self.codes.set(Stage::Provider, self.chunks.rows[place], &quantize::from_blob(vector));
            }
        }
        Ok(())
    }

    fn write_rows(&self, session: &mut Session) -> Result<()> {
        let statics = self.manifest.space(Stage::Static).ok_or_else(|| session.damaged())?;
        let Self { files, moved, chunks, symbols, gone_files, .. } = self;
        let manifest = &*self.manifest;
        let words: Vec<WordHashes> = self.texts.values().map(|text| WordHashes::of(text)).collect();
        let texts = Texts::new(&self.texts, &words);
        let vectors = Vectors::new(space_key(&statics), &self.vectors);
        let known_vectors = Vectors::new(space_key(self.expected_space), &self.known_vectors);
        let old_files: Vec<i32> = files.ids.iter().chain(gone_files).copied().collect();
        let rewritten: [Param<'_>; 3] = [&manifest.project, &manifest.id, &old_files];
        let gone: [Param<'_>; 3] = [&manifest.project, &manifest.id, gone_files];
        let deleted: [Param<'_>; 3] = [&manifest.project, &manifest.id, &self.deleted.0];
        let replaced: [Param<'_>; 4] = [&manifest.project, &manifest.id, &self.replaced.0, &self.replaced.1];
        session.pipeline(
            None,
            &[
                Query { sql: Texts::INSERT, params: &texts.params(manifest) },
                Query { sql: Vectors::INSERT, params: &vectors.params(manifest) },
                Query { sql: Vectors::INSERT, params: &known_vectors.params(manifest) },
                Query { sql: DELETE_SYMBOLS, params: &rewritten },
                Query { sql: DELETE_FILES, params: &gone },
                Query { sql: DELETE_FACTS, params: &gone },
                Query { sql: Files::UPSERT, params: &files.params(manifest) },
                Query { sql: Files::UPSERT_FACTS, params: &files.facts_params(manifest) },
                Query { sql: Moved::UPDATE, params: &moved.params(manifest) },
                Query { sql: Chunks::INSERT, params: &chunks.params(manifest) },
                Query { sql: MOVE_REFUSED, params: &replaced },
                Query { sql: DELETE_REFUSED, params: &deleted },
                Query { sql: DELETE_CHUNKS, params: &deleted },
                Query { sql: Symbols::INSERT, params: &symbols.params(manifest) },
            ],
        )?;
        Ok(())
    }

    /// Adds the words of newly defined names, and deletes those of names that are no longer defined.
    fn write_names(&self, session: &mut Session) -> Result<()> {
        let manifest = &*self.manifest;
        let added = NameWordColumns::of(self.symbols.defined.iter().map(|name| clean(name).into_owned()));
        let gone = self.released.iter().filter(|name| !self.symbols.defined.contains(name.as_str()));
        let gone = NameWordColumns::of(gone.cloned());
        session.pipeline(
            None,
            &[
                Query { sql: NameWordColumns::INSERT, params: &added.params(manifest) },
                Query { sql: NameWordColumns::DELETE, params: &gone.delete_params(manifest) },
            ],
        )?;
        Ok(())
    }
}

fn old_files(files: &[Row], chunks: &[Row]) -> HashMap<Hash, OldFile> {
    let mut old: HashMap<Hash, OldFile> = files
        .iter()
        .map(|row| (row.get(0), OldFile { id: row.get(1), chunks: FxHashMap::default() }))
        .collect();
    for row in chunks {
        let chunk =
            OldChunk { row: row.get(1), terms_hash: row.get(3), words: row.get(4), is_pending: row.get(5) };
        old.entry(row.get(0)).or_default().chunks.entry(row.get(2)).or_default().push(chunk);
    }
    old
}

/// Every chunk, with the definitions whose names it contains and the names that it uses.
fn chunk_facts<'c>(parsed: &'c ParsedFile, defining_chunks: &[usize]) -> Vec<ChunkColumns<'c>> {
    let chunks = &parsed.chunks;
    let both = symbols::defined_in(parsed, defining_chunks).into_iter().zip(symbols::used_names(parsed));
    chunks.iter().zip(both).map(|(chunk, (defined, used))| ChunkColumns::new(chunk, defined, used)).collect()
}

const DELETE_SYMBOLS: &str = "DELETE FROM symbols WHERE project = $1 AND manifest = $2 AND file = ANY($3)";
const DELETE_FILES: &str = "DELETE FROM files WHERE project = $1 AND manifest = $2 AND file = ANY($3)";
const DELETE_FACTS: &str = "DELETE FROM file_facts WHERE project = $1 AND manifest = $2 AND file = ANY($3)";
const MOVE_REFUSED: &str =
    "UPDATE refused AS r SET row = m.fresh FROM unnest($3::int[], $4::int[]) AS m(old, fresh)
    WHERE r.project = $1 AND r.manifest = $2 AND r.row = m.old";
const DELETE_REFUSED: &str = "DELETE FROM refused WHERE project = $1 AND manifest = $2 AND row = ANY($3)";
const DELETE_CHUNKS: &str = "DELETE FROM chunks WHERE project = $1 AND manifest = $2 AND row = ANY($3)";
