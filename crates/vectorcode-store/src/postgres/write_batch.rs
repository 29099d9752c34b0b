//! Replacing what a manifest has of some files, with a fixed number of round trips whatever their number.
//!
//! A chunk whose text is the same as before keeps its row, and with it its full text and its codes; only its position is
//! updated. Texts and vectors are written under the hash of their content, where another checkout may have put them already:
//! a chunk whose text it has embedded does not wait for a vector.

use std::collections::{HashMap, HashSet};

use rustc_hash::FxHashMap;
use tokio_postgres::Row;
use vectorcode_core::{Chunk, Definition, ParsedFile, WordPrints, quantize};

use super::codes::CodeChanges;
use super::definitions::INDEXED_CHARACTERS;
use super::manifest::{Manifest, space_key};
use super::rows::{Hash, clean, kinds_of};
use super::segments;
use super::session::{Param, Query, Session};
use crate::contract::{FileUpdate, Result, WriteOutcome};
use crate::sqlite::enum_codes;
use crate::sqlite::fulltext::{self, FileTerms, SegmentBuilder};
use crate::sqlite::interner::words_of;
use crate::sqlite::packed_facts;
use crate::sqlite::pending_order::pending_order;
use crate::sqlite::prepared_file::{terms_hash, traits};
use crate::sqlite::stage::Stage;
use crate::sqlite::symbols;

/// As [`fulltext::used_term`], of names as the database takes them.
pub(super) fn used_term(name: &str) -> String {
    let indexed: String = name.chars().take(INDEXED_CHARACTERS).collect();
    fulltext::used_term(&clean(&indexed))
}

/// What a transaction did.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub outcome: WriteOutcome,
    /// The rows that readers have to read again.
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

/// One transaction's worth of replaced and removed files, gathered as columns.
pub(super) struct WriteBatch<'u> {
    manifest: &'u mut Manifest,
    old: HashMap<Hash, OldFile>,
    /// Names that the old files defined.
    released: HashSet<String>,
    segment: SegmentBuilder,
    codes: CodeChanges,
    files: Files<'u>,
    moved: Moved,
    chunks: Chunks,
    texts: FxHashMap<Hash, &'u str>,
    vectors: FxHashMap<Hash, Vec<u8>>,
    symbols: Symbols<'u>,
    /// Old and new rows of chunks that were written again.
    replaced: (Vec<i32>, Vec<i32>),
    deleted: (Vec<i32>, Vec<i32>),
    gone_files: Vec<i32>,
    written: Written,
}

#[derive(Default)]
struct Files<'u> {
    ids: Vec<i32>,
    keys: Vec<Hash>,
    paths: Vec<&'u str>,
    mtimes: Vec<i64>,
    sizes: Vec<i64>,
    hashes: Vec<&'u [u8]>,
    languages: Vec<&'u str>,
    classes: Vec<i16>,
    flags: Vec<i16>,
    versions: Vec<i64>,
    uses: Vec<Vec<u8>>,
    imports: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Moved {
    rows: Vec<i32>,
    spans: [Vec<i32>; 4],
    traits: Vec<i32>,
    orders: Vec<i64>,
    kinds: Vec<String>,
}

#[derive(Default)]
struct Chunks {
    rows: Vec<i32>,
    files: Vec<i32>,
    spans: [Vec<i32>; 4],
    traits: Vec<i32>,
    words: Vec<i32>,
    pending: Vec<Option<i64>>,
    terms_hashes: Vec<i64>,
    text_hashes: Vec<Hash>,
    content_hashes: Vec<Hash>,
    kinds: Vec<String>,
    symbols: Vec<Option<String>>,
    contexts: Vec<Option<String>>,
}

#[derive(Default)]
struct Symbols<'u> {
    files: Vec<i32>,
    ordinals: Vec<i32>,
    rows: Vec<i32>,
    kinds: Vec<i16>,
    spans: [Vec<i32>; 4],
    name_lines: Vec<i32>,
    names: Vec<String>,
    qualified: Vec<Option<String>>,
    signatures: Vec<String>,
    defined: HashSet<&'u str>,
}

/// What is written of a chunk, gathered.
struct ChunkFacts<'c> {
    chunk: &'c Chunk,
    defined: Vec<&'c Definition>,
    used: Vec<&'c str>,
    traits: i32,
    text_hash: Hash,
    terms_hash: i64,
}

impl<'c> ChunkFacts<'c> {
    fn new(chunk: &'c Chunk, defined: Vec<&'c Definition>, used: Vec<&'c str>) -> Self {
        let traits = traits(chunk, &defined);
        let text_hash = Hash::of(chunk.embedding_text().as_bytes());
        let terms_hash = terms_hash(chunk, &defined, &used);
        Self { chunk, defined, used, traits: traits.0.cast_signed(), text_hash, terms_hash }
    }

    fn span(&self) -> [i32; 4] {
        let span = &self.chunk.span;
        [span.start_line, span.end_line, span.byte_start, span.byte_end].map(u32::cast_signed)
    }
}

/// Replaces and removes files in the transaction of the session.
pub(super) fn run(
    session: &mut Session,
    manifest: &mut Manifest,
    updates: &[FileUpdate],
    removed: &[String],
) -> Result<Written> {
    // Of a path that comes twice the last counts.
    let last: HashMap<&str, usize> =
        updates.iter().enumerate().map(|(place, update)| (update.parsed.path.as_str(), place)).collect();
    let mut batch = WriteBatch::new(session, manifest, last.keys().copied(), removed)?;
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
            old: old_files(&answers[1], &answers[2]),
            released: answers[3].iter().map(|row| row.get(0)).collect(),
            segment: SegmentBuilder::default(),
            codes: CodeChanges::default(),
            files: Files::default(),
            moved: Moved::default(),
            chunks: Chunks::default(),
            texts: FxHashMap::default(),
            vectors: FxHashMap::default(),
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
        let homes = symbols::homes(parsed);
        let order = pending_order(update.state.mtime_ns, parsed.flags);
        let mut rows = Vec::with_capacity(parsed.chunks.len());
        let vectors = update.static_vectors.iter().chain(std::iter::repeat(&None));
        for (facts, vector) in chunk_facts(parsed, &homes).into_iter().zip(vectors) {
            rows.push(self.write_chunk(old.id, order, &facts, vector.as_deref(), &mut old.chunks));
        }
        old.chunks.into_values().flatten().for_each(|chunk| self.delete_chunk(chunk));
        for (ordinal, (definition, home)) in parsed.definitions.iter().zip(&homes).enumerate() {
            self.symbols.push(old.id, ordinal as i32, rows[*home], definition);
        }
    }

    fn write_chunk(
        &mut self,
        file: i32,
        order: i64,
        facts: &ChunkFacts<'u>,
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
        facts: &ChunkFacts<'u>,
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
        segments::merge_where_due(session, self.manifest)?;
        self.written.touched.sort_unstable();
        self.written.touched.dedup();
        Ok(self.written)
    }

    /// Takes up the provider's vectors that are there for the texts of new chunks, of whichever checkout.
    fn adopt_vectors(&mut self, session: &mut Session) -> Result<()> {
        if self.chunks.rows.is_empty() {
            return Ok(());
        }
        let space = self.manifest.space(Stage::Provider).ok_or_else(|| session.damaged())?;
        let key = space_key(&space);
        let found = session.query(
            "SELECT hash, vector FROM vectors WHERE project = $1 AND space = $2 AND hash = ANY($3)",
            &[&self.manifest.project, &key, &self.chunks.text_hashes],
        )?;
        let found: FxHashMap<Hash, &[u8]> = found.iter().map(|row| (row.get(0), row.get(1))).collect();
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
        let (project, manifest, space) = (&self.manifest.project, &self.manifest.id, space_key(&statics));
        let Self { files, moved, chunks, symbols, .. } = self;
        let text_hashes: Vec<Hash> = self.texts.keys().copied().collect();
        let texts: Vec<&[u8]> = self.texts.values().map(|text| text.as_bytes()).collect();
        let words: Vec<WordPrints> = self.texts.values().map(|text| WordPrints::of(text)).collect();
        let words: Vec<&[u8]> = words.iter().map(WordPrints::as_bytes).collect();
        let (vector_hashes, vectors): (Vec<Hash>, Vec<&[u8]>) =
            self.vectors.iter().map(|(hash, vector)| (*hash, vector.as_slice())).unzip();
        let old_files: Vec<i32> = files.ids.iter().chain(&self.gone_files).copied().collect();
        let gone: [Param<'_>; 3] = [project, manifest, &self.gone_files];
        let rewritten: [Param<'_>; 3] = [project, manifest, &old_files];
        let deleted: [Param<'_>; 3] = [project, manifest, &self.deleted.0];
        let replaced: [Param<'_>; 4] = [project, manifest, &self.replaced.0, &self.replaced.1];
        let texts: [Param<'_>; 4] = [project, &text_hashes, &texts, &words];
        let vectors: [Param<'_>; 4] = [project, &space, &vector_hashes, &vectors];
        let files_params: [Param<'_>; 12] = [
            project,
            manifest,
            &files.ids,
            &files.keys,
            &files.paths,
            &files.mtimes,
            &files.sizes,
            &files.hashes,
            &files.languages,
            &files.classes,
            &files.flags,
            &files.versions,
        ];
        let facts: [Param<'_>; 5] = [project, manifest, &files.ids, &files.uses, &files.imports];
        let moved: [Param<'_>; 10] = [
            project,
            manifest,
            &moved.rows,
            &moved.spans[0],
            &moved.spans[1],
            &moved.spans[2],
            &moved.spans[3],
            &moved.traits,
            &moved.orders,
            &moved.kinds,
        ];
        let chunks: [Param<'_>; 17] = [
            project,
            manifest,
            &chunks.rows,
            &chunks.files,
            &chunks.spans[0],
            &chunks.spans[1],
            &chunks.spans[2],
            &chunks.spans[3],
            &chunks.traits,
            &chunks.words,
            &chunks.pending,
            &chunks.terms_hashes,
            &chunks.text_hashes,
            &chunks.content_hashes,
            &chunks.kinds,
            &chunks.symbols,
            &chunks.contexts,
        ];
        let symbols: [Param<'_>; 14] = [
            project,
            manifest,
            &symbols.files,
            &symbols.ordinals,
            &symbols.rows,
            &symbols.kinds,
            &symbols.spans[0],
            &symbols.spans[1],
            &symbols.spans[2],
            &symbols.spans[3],
            &symbols.name_lines,
            &symbols.names,
            &symbols.qualified,
            &symbols.signatures,
        ];
        session.pipeline(
            None,
            &[
                Query { sql: INSERT_TEXTS, params: &texts },
                Query { sql: INSERT_VECTORS, params: &vectors },
                Query { sql: DELETE_SYMBOLS, params: &rewritten },
                Query { sql: DELETE_FILES, params: &gone },
                Query { sql: DELETE_FACTS, params: &gone },
                Query { sql: UPSERT_FILES, params: &files_params },
                Query { sql: UPSERT_FACTS, params: &facts },
                Query { sql: UPDATE_CHUNKS, params: &moved },
                Query { sql: INSERT_CHUNKS, params: &chunks },
                Query { sql: MOVE_REFUSED, params: &replaced },
                Query { sql: DELETE_REFUSED, params: &deleted },
                Query { sql: DELETE_CHUNKS, params: &deleted },
                Query { sql: INSERT_SYMBOLS, params: &symbols },
            ],
        )?;
        Ok(())
    }

    /// The words of names that are defined, and of those that no longer are.
    fn write_names(&self, session: &mut Session) -> Result<()> {
        let (project, manifest) = (&self.manifest.project, &self.manifest.id);
        let added = NameWords::of(self.symbols.defined.iter().map(|name| clean(name).into_owned()));
        let gone = self.released.iter().filter(|name| !self.symbols.defined.contains(name.as_str()));
        let gone = NameWords::of(gone.cloned());
        let insert: [Param<'_>; 5] = [project, manifest, &added.words, &added.names, &added.counts];
        let delete: [Param<'_>; 4] = [project, manifest, &gone.words, &gone.names];
        session.pipeline(
            None,
            &[
                Query { sql: INSERT_NAME_WORDS, params: &insert },
                Query { sql: DELETE_NAME_WORDS, params: &delete },
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

/// Every chunk with the definitions whose names it holds and the names that it uses.
fn chunk_facts<'c>(parsed: &'c ParsedFile, homes: &[usize]) -> Vec<ChunkFacts<'c>> {
    let chunks = &parsed.chunks;
    let both = symbols::defined_in(parsed, homes).into_iter().zip(symbols::used_names(parsed));
    chunks.iter().zip(both).map(|(chunk, (defined, used))| ChunkFacts::new(chunk, defined, used)).collect()
}

impl<'u> Files<'u> {
    fn push(&mut self, id: i32, key: Hash, update: &'u FileUpdate) {
        let (state, parsed) = (&update.state, &update.parsed);
        self.ids.push(id);
        self.keys.push(key);
        self.paths.push(&parsed.path);
        self.mtimes.push(state.mtime_ns);
        self.sizes.push(state.size.cast_signed());
        self.hashes.push(&state.hash);
        self.languages.push(&parsed.language);
        self.classes.push(enum_codes::class_code(parsed.class) as i16);
        self.flags.push(enum_codes::flags_code(parsed.flags) as i16);
        self.versions.push(state.content_version.0);
        self.uses.push(packed_facts::pack_uses(&parsed.references));
        self.imports.push(packed_facts::pack_imports(&parsed.imports));
    }
}

impl Moved {
    fn push(&mut self, row: i32, order: i64, facts: &ChunkFacts<'_>) {
        self.rows.push(row);
        self.spans.iter_mut().zip(facts.span()).for_each(|(column, value)| column.push(value));
        self.traits.push(facts.traits);
        self.orders.push(order);
        self.kinds.push(kinds_of(facts.chunk));
    }
}

impl Chunks {
    fn push(
        &mut self,
        row: i32,
        file: i32,
        pending: Option<i64>,
        words: i32,
        content_hash: Hash,
        facts: &ChunkFacts<'_>,
    ) {
        let text = |text: &Option<String>| text.as_deref().map(|text| clean(text).into_owned());
        self.rows.push(row);
        self.files.push(file);
        self.spans.iter_mut().zip(facts.span()).for_each(|(column, value)| column.push(value));
        self.traits.push(facts.traits);
        self.words.push(words);
        self.pending.push(pending);
        self.terms_hashes.push(facts.terms_hash);
        self.text_hashes.push(facts.text_hash);
        self.content_hashes.push(content_hash);
        self.kinds.push(kinds_of(facts.chunk));
        self.symbols.push(text(&facts.chunk.symbol));
        self.contexts.push(text(&facts.chunk.parent_context));
    }
}

impl<'u> Symbols<'u> {
    fn push(&mut self, file: i32, ordinal: i32, row: i32, definition: &'u Definition) {
        let Definition { name, qualified, kind, signature, span, name_line } = definition;
        self.files.push(file);
        self.ordinals.push(ordinal);
        self.rows.push(row);
        self.kinds.push(enum_codes::kind_code(*kind) as i16);
        let span = [span.start_line, span.end_line, span.byte_start, span.byte_end].map(u32::cast_signed);
        self.spans.iter_mut().zip(span).for_each(|(column, value)| column.push(value));
        self.name_lines.push(name_line.cast_signed());
        self.names.push(clean(name).into_owned());
        self.qualified.push((qualified != name).then(|| clean(qualified).into_owned()));
        self.signatures.push(clean(signature).into_owned());
        self.defined.insert(name);
    }
}

/// Each word of each name. Names that are longer than the index takes are found whole, not by their words.
#[derive(Default)]
struct NameWords {
    words: Vec<String>,
    names: Vec<String>,
    counts: Vec<i32>,
}

impl NameWords {
    fn of(names: impl Iterator<Item = String>) -> Self {
        let mut all = Self::default();
        for name in names.filter(|name| name.chars().count() <= INDEXED_CHARACTERS) {
            let words = words_of(&name);
            let count = words.len() as i32;
            for word in words {
                all.words.push(word);
                all.names.push(name.clone());
                all.counts.push(count);
            }
        }
        all
    }
}

const INSERT_TEXTS: &str = "INSERT INTO texts (project, hash, content, words)
    SELECT $1::bigint, * FROM unnest($2::uuid[], $3::bytea[], $4::bytea[]) ON CONFLICT DO NOTHING";
const INSERT_VECTORS: &str = "INSERT INTO vectors (project, space, hash, vector)
    SELECT $1::bigint, $2::bigint, * FROM unnest($3::uuid[], $4::bytea[]) ON CONFLICT DO NOTHING";
const DELETE_SYMBOLS: &str = "DELETE FROM symbols WHERE project = $1 AND manifest = $2 AND file = ANY($3)";
const DELETE_FILES: &str = "DELETE FROM files WHERE project = $1 AND manifest = $2 AND file = ANY($3)";
const DELETE_FACTS: &str = "DELETE FROM file_facts WHERE project = $1 AND manifest = $2 AND file = ANY($3)";
const UPSERT_FILES: &str = "INSERT INTO files (project, manifest, file, path_key, path, mtime_ns, size, hash, language,
        class, flags, content_version)
    SELECT $1::bigint, $2::int, * FROM unnest($3::int[], $4::uuid[], $5::text[], $6::bigint[], $7::bigint[], $8::bytea[],
        $9::text[], $10::smallint[], $11::smallint[], $12::bigint[])
    ON CONFLICT (project, manifest, file) DO UPDATE SET mtime_ns = excluded.mtime_ns, size = excluded.size,
        hash = excluded.hash, language = excluded.language, class = excluded.class, flags = excluded.flags,
        content_version = excluded.content_version";
const UPSERT_FACTS: &str = "INSERT INTO file_facts (project, manifest, file, uses, imports)
    SELECT $1::bigint, $2::int, * FROM unnest($3::int[], $4::bytea[], $5::bytea[])
    ON CONFLICT (project, manifest, file) DO UPDATE SET uses = excluded.uses, imports = excluded.imports";
const UPDATE_CHUNKS: &str = "UPDATE chunks AS c SET start_line = m.start_line, end_line = m.end_line,
        byte_start = m.byte_start, byte_end = m.byte_end, traits = m.traits, kinds = m.kinds,
        pending = CASE WHEN c.pending IS NULL THEN NULL ELSE m.pending END
    FROM unnest($3::int[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $9::bigint[], $10::text[])
        AS m(row, start_line, end_line, byte_start, byte_end, traits, pending, kinds)
    WHERE c.project = $1 AND c.manifest = $2 AND c.row = m.row";
const INSERT_CHUNKS: &str = "INSERT INTO chunks (project, manifest, row, file, start_line, end_line, byte_start, byte_end,
        traits, words, pending, terms_hash, text_hash, content_hash, kinds, symbol, parent_context)
    SELECT $1::bigint, $2::int, * FROM unnest($3::int[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $9::int[], $10::int[],
        $11::bigint[], $12::bigint[], $13::uuid[], $14::uuid[], $15::text[], $16::text[], $17::text[])";
const MOVE_REFUSED: &str =
    "UPDATE refused AS r SET row = m.fresh FROM unnest($3::int[], $4::int[]) AS m(old, fresh)
    WHERE r.project = $1 AND r.manifest = $2 AND r.row = m.old";
const DELETE_REFUSED: &str = "DELETE FROM refused WHERE project = $1 AND manifest = $2 AND row = ANY($3)";
const DELETE_CHUNKS: &str = "DELETE FROM chunks WHERE project = $1 AND manifest = $2 AND row = ANY($3)";
const INSERT_SYMBOLS: &str = "INSERT INTO symbols (project, manifest, file, ordinal, row, kind, start_line, end_line,
        byte_start, byte_end, name_line, name, qualified, signature)
    SELECT $1::bigint, $2::int, * FROM unnest($3::int[], $4::int[], $5::int[], $6::smallint[], $7::int[], $8::int[], $9::int[],
        $10::int[], $11::int[], $12::text[], $13::text[], $14::text[])";
const INSERT_NAME_WORDS: &str = "INSERT INTO name_words (project, manifest, word, name, words)
    SELECT $1::bigint, $2::int, * FROM unnest($3::text[], $4::text[], $5::int[]) ON CONFLICT DO NOTHING";
const DELETE_NAME_WORDS: &str =
    "DELETE FROM name_words AS w USING unnest($3::text[], $4::text[]) AS g(word, name)
    WHERE w.project = $1 AND w.manifest = $2 AND w.word = g.word AND w.name = g.name AND NOT EXISTS
        (SELECT 1 FROM symbols AS s WHERE s.project = $1 AND s.manifest = $2
             AND lower(left(s.name, 200)) = lower(left(g.name, 200) COLLATE \"C\") AND s.name = g.name)";
