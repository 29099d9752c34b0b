//! The rows that a batch writes to each table, as columns, with the statement that inserts them: `$n` is the nth of `params`.

use std::collections::HashSet;

use rustc_hash::FxHashMap;
use vectorcode_core::{Chunk, Definition, WordHashes};

use super::definitions::INDEXED_CHARACTERS;
use super::manifest::Manifest;
use super::rows::{Hash, clean, kinds_of};
use super::session::Param;
use crate::contract::FileUpdate;
use crate::index::enum_codes;
use crate::index::name_match::words_of;
use crate::index::packed_facts;
use crate::index::prepared_file::{terms_hash, traits};

/// Everything that is written for one chunk.
pub(super) struct ChunkColumns<'c> {
    pub chunk: &'c Chunk,
    pub defined: Vec<&'c Definition>,
    pub used: Vec<&'c str>,
    pub traits: i32,
    pub text_hash: Hash,
    pub terms_hash: i64,
}

impl<'c> ChunkColumns<'c> {
    pub fn new(chunk: &'c Chunk, defined: Vec<&'c Definition>, used: Vec<&'c str>) -> Self {
        let traits = traits(chunk, &defined);
        let text_hash = Hash::of(chunk.embedding_text().as_bytes());
        let terms_hash = terms_hash(chunk, &defined, &used);
        Self { chunk, defined, used, traits: traits.0.cast_signed(), text_hash, terms_hash }
    }

    pub fn span(&self) -> [i32; 4] {
        let span = &self.chunk.span;
        [span.start_line, span.end_line, span.byte_start, span.byte_end].map(u32::cast_signed)
    }
}

#[derive(Default)]
pub(super) struct Files<'u> {
    pub ids: Vec<i32>,
    keys: Vec<Hash>,
    paths: Vec<&'u str>,
    mtimes: Vec<i64>,
    sizes: Vec<i64>,
    hashes: Vec<&'u [u8]>,
    languages: Vec<&'u str>,
    classes: Vec<i16>,
    flags: Vec<i16>,
    versions: Vec<i64>,
    blobs: Vec<Option<&'u [u8]>>,
    uses: Vec<Vec<u8>>,
    imports: Vec<Vec<u8>>,
}

impl<'u> Files<'u> {
    pub const UPSERT: &'static str = "INSERT INTO files (project, manifest, file, path_key, path, mtime_ns, size, hash, language,
            class, flags, content_version, blob)
        SELECT $1::bigint, $2::int, * FROM unnest($3::int[], $4::uuid[], $5::text[], $6::bigint[], $7::bigint[], $8::bytea[],
            $9::text[], $10::smallint[], $11::smallint[], $12::bigint[], $13::bytea[])
        ON CONFLICT (project, manifest, file) DO UPDATE SET mtime_ns = excluded.mtime_ns, size = excluded.size,
            hash = excluded.hash, language = excluded.language, class = excluded.class, flags = excluded.flags,
            content_version = excluded.content_version, blob = excluded.blob";

    pub fn params<'p>(&'p self, manifest: &'p Manifest) -> [Param<'p>; 13] {
        [
            &manifest.project,
            &manifest.id,
            &self.ids,
            &self.keys,
            &self.paths,
            &self.mtimes,
            &self.sizes,
            &self.hashes,
            &self.languages,
            &self.classes,
            &self.flags,
            &self.versions,
            &self.blobs,
        ]
    }

    pub const UPSERT_FACTS: &'static str = "INSERT INTO file_facts (project, manifest, file, uses, imports)
        SELECT $1::bigint, $2::int, * FROM unnest($3::int[], $4::bytea[], $5::bytea[])
        ON CONFLICT (project, manifest, file) DO UPDATE SET uses = excluded.uses, imports = excluded.imports";

    pub fn facts_params<'p>(&'p self, manifest: &'p Manifest) -> [Param<'p>; 5] {
        [&manifest.project, &manifest.id, &self.ids, &self.uses, &self.imports]
    }

    pub fn push(&mut self, id: i32, key: Hash, update: &'u FileUpdate) {
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
        self.blobs.push(state.blob.as_ref().map(|blob| &blob.as_bytes()[..]));
        self.uses.push(packed_facts::pack_uses(&parsed.references));
        self.imports.push(packed_facts::pack_imports(&parsed.imports));
    }
}

/// Chunks that keep their row.
#[derive(Default)]
pub(super) struct Moved {
    rows: Vec<i32>,
    spans: [Vec<i32>; 4],
    traits: Vec<i32>,
    orders: Vec<i64>,
    kinds: Vec<String>,
}

impl Moved {
    pub const UPDATE: &'static str = "UPDATE chunks AS c SET start_line = m.start_line, end_line = m.end_line,
            byte_start = m.byte_start, byte_end = m.byte_end, traits = m.traits, kinds = m.kinds,
            pending = CASE WHEN c.pending IS NULL THEN NULL ELSE m.pending END
        FROM unnest($3::int[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $9::bigint[], $10::text[])
            AS m(row, start_line, end_line, byte_start, byte_end, traits, pending, kinds)
        WHERE c.project = $1 AND c.manifest = $2 AND c.row = m.row";

    pub fn params<'p>(&'p self, manifest: &'p Manifest) -> [Param<'p>; 10] {
        [
            &manifest.project,
            &manifest.id,
            &self.rows,
            &self.spans[0],
            &self.spans[1],
            &self.spans[2],
            &self.spans[3],
            &self.traits,
            &self.orders,
            &self.kinds,
        ]
    }

    pub fn push(&mut self, row: i32, order: i64, facts: &ChunkColumns<'_>) {
        self.rows.push(row);
        self.spans.iter_mut().zip(facts.span()).for_each(|(column, value)| column.push(value));
        self.traits.push(facts.traits);
        self.orders.push(order);
        self.kinds.push(kinds_of(facts.chunk));
    }
}

#[derive(Default)]
pub(super) struct Chunks {
    pub rows: Vec<i32>,
    files: Vec<i32>,
    spans: [Vec<i32>; 4],
    traits: Vec<i32>,
    words: Vec<i32>,
    pub pending: Vec<Option<i64>>,
    terms_hashes: Vec<i64>,
    pub text_hashes: Vec<Hash>,
    content_hashes: Vec<Hash>,
    kinds: Vec<String>,
    symbols: Vec<Option<String>>,
    contexts: Vec<Option<String>>,
}

impl Chunks {
    pub const INSERT: &'static str = "INSERT INTO chunks (project, manifest, row, file, start_line, end_line, byte_start, byte_end,
            traits, words, pending, terms_hash, text_hash, content_hash, kinds, symbol, parent_context)
        SELECT $1::bigint, $2::int, * FROM unnest($3::int[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $9::int[], $10::int[],
            $11::bigint[], $12::bigint[], $13::uuid[], $14::uuid[], $15::text[], $16::text[], $17::text[])";

    pub fn params<'p>(&'p self, manifest: &'p Manifest) -> [Param<'p>; 17] {
        [
            &manifest.project,
            &manifest.id,
            &self.rows,
            &self.files,
            &self.spans[0],
            &self.spans[1],
            &self.spans[2],
            &self.spans[3],
            &self.traits,
            &self.words,
            &self.pending,
            &self.terms_hashes,
            &self.text_hashes,
            &self.content_hashes,
            &self.kinds,
            &self.symbols,
            &self.contexts,
        ]
    }

    pub fn push(
        &mut self,
        row: i32,
        file: i32,
        pending: Option<i64>,
        words: i32,
        content_hash: Hash,
        facts: &ChunkColumns<'_>,
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

#[derive(Default)]
pub(super) struct Symbols<'u> {
    files: Vec<i32>,
    ordinals: Vec<i32>,
    rows: Vec<i32>,
    kinds: Vec<i16>,
    spans: [Vec<i32>; 4],
    name_lines: Vec<i32>,
    names: Vec<String>,
    qualified: Vec<Option<String>>,
    signatures: Vec<String>,
    pub defined: HashSet<&'u str>,
}

impl<'u> Symbols<'u> {
    pub const INSERT: &'static str = "INSERT INTO symbols (project, manifest, file, ordinal, row, kind, start_line, end_line,
            byte_start, byte_end, name_line, name, qualified, signature)
        SELECT $1::bigint, $2::int, * FROM unnest($3::int[], $4::int[], $5::int[], $6::smallint[], $7::int[], $8::int[], $9::int[],
            $10::int[], $11::int[], $12::text[], $13::text[], $14::text[])";

    pub fn params<'p>(&'p self, manifest: &'p Manifest) -> [Param<'p>; 14] {
        [
            &manifest.project,
            &manifest.id,
            &self.files,
            &self.ordinals,
            &self.rows,
            &self.kinds,
            &self.spans[0],
            &self.spans[1],
            &self.spans[2],
            &self.spans[3],
            &self.name_lines,
            &self.names,
            &self.qualified,
            &self.signatures,
        ]
    }

    pub fn push(&mut self, file: i32, ordinal: i32, row: i32, definition: &'u Definition) {
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

/// Texts of chunks with their words, keyed by the hash of the text.
pub(super) struct Texts<'t> {
    hashes: Vec<Hash>,
    contents: Vec<&'t [u8]>,
    words: Vec<&'t [u8]>,
}

impl<'t> Texts<'t> {
    pub const INSERT: &'static str = "INSERT INTO texts (project, hash, content, words)
        SELECT $1::bigint, * FROM unnest($2::uuid[], $3::bytea[], $4::bytea[]) ON CONFLICT DO NOTHING";

    pub fn params<'p>(&'p self, manifest: &'p Manifest) -> [Param<'p>; 4] {
        [&manifest.project, &self.hashes, &self.contents, &self.words]
    }

    /// `words` has those of `texts`, in order.
    pub fn new(texts: &FxHashMap<Hash, &'t str>, words: &'t [WordHashes]) -> Self {
        Self {
            hashes: texts.keys().copied().collect(),
            contents: texts.values().map(|text| text.as_bytes()).collect(),
            words: words.iter().map(WordHashes::as_bytes).collect(),
        }
    }
}

/// Vectors of one space, keyed by the hash of their text.
pub(super) struct Vectors<'v> {
    space: i64,
    hashes: Vec<Hash>,
    blobs: Vec<&'v [u8]>,
}

impl<'v> Vectors<'v> {
    pub const INSERT: &'static str = "INSERT INTO vectors (project, space, hash, vector)
        SELECT $1::bigint, $2::bigint, * FROM unnest($3::uuid[], $4::bytea[]) ON CONFLICT DO NOTHING";

    pub fn params<'p>(&'p self, manifest: &'p Manifest) -> [Param<'p>; 4] {
        [&manifest.project, &self.space, &self.hashes, &self.blobs]
    }

    pub fn new(space: i64, vectors: &'v FxHashMap<Hash, Vec<u8>>) -> Self {
        let (hashes, blobs) = vectors.iter().map(|(hash, vector)| (*hash, vector.as_slice())).unzip();
        Self { space, hashes, blobs }
    }
}

/// Every word of every name. Names that are too long for the database index are found as a whole, but not by their words.
#[derive(Default)]
pub(super) struct NameWordColumns {
    words: Vec<String>,
    names: Vec<String>,
    counts: Vec<i32>,
}

impl NameWordColumns {
    pub const INSERT: &'static str = "INSERT INTO name_words (project, manifest, word, name, words)
        SELECT $1::bigint, $2::int, * FROM unnest($3::text[], $4::text[], $5::int[]) ON CONFLICT DO NOTHING";

    pub fn params<'p>(&'p self, manifest: &'p Manifest) -> [Param<'p>; 5] {
        [&manifest.project, &manifest.id, &self.words, &self.names, &self.counts]
    }

    pub const DELETE: &'static str =
        "DELETE FROM name_words AS w USING unnest($3::text[], $4::text[]) AS g(word, name)
        WHERE w.project = $1 AND w.manifest = $2 AND w.word = g.word AND w.name = g.name AND NOT EXISTS
            (SELECT 1 FROM symbols AS s WHERE s.project = $1 AND s.manifest = $2
                 AND lower(left(s.name, 200)) = lower(left(g.name, 200) COLLATE \"C\") AND s.name = g.name)";

    pub fn delete_params<'p>(&'p self, manifest: &'p Manifest) -> [Param<'p>; 4] {
        [&manifest.project, &manifest.id, &self.words, &self.names]
    }

    pub fn of(names: impl Iterator<Item = String>) -> Self {
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
