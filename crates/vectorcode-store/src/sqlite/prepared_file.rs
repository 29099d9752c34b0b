//! What can be worked out of a file before its transaction, on the thread that read it: hashes, words, and vectors in the
//! form in which they are kept.

use rustc_hash::FxHashSet;
use vectorcode_core::{Chunk, Definition, Reference, WordPrints};

use super::enum_codes::{self, TraitBits};
use super::fulltext::{self, FileTerms};
use super::symbols;
use super::vectors::EncodedVector;
use crate::contract::FileUpdate;

pub(crate) type TextHash = [u8; 16];

#[derive(Debug)]
pub(crate) struct PreparedFile {
    pub chunks: Vec<PreparedChunk>,
    pub terms: FileTerms,
    /// For each definition, the place of the chunk that holds its name.
    pub homes: Vec<usize>,
    /// The places of the references that are written: one that repeats within a definition is written once.
    pub references: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct PreparedChunk {
    pub traits: TraitBits,
    /// Of the embedded text.
    pub hash: TextHash,
    pub terms_hash: i64,
    pub words: WordPrints,
    pub vector: Option<EncodedVector>,
}

impl PreparedFile {
    pub fn new(update: &FileUpdate) -> Self {
        let parsed = &update.parsed;
        let homes = symbols::homes(parsed);
        let mut defined: Vec<Vec<&Definition>> = vec![Vec::new(); parsed.chunks.len()];
        for (definition, home) in parsed.definitions.iter().zip(&homes) {
            defined[*home].push(definition);
        }
        let mut terms = FileTerms::default();
        let vectors = update.static_vectors.iter().chain(std::iter::repeat(&None));
        let mut chunks = Vec::with_capacity(parsed.chunks.len());
        for ((chunk, defined), vector) in parsed.chunks.iter().zip(&defined).zip(vectors) {
            terms.add(chunk, defined.iter().map(|definition| definition.signature.as_str()));
            chunks.push(PreparedChunk::new(chunk, defined, vector.as_deref()));
        }
        Self { chunks, terms, homes, references: distinct_references(&parsed.references) }
    }
}

impl PreparedChunk {
    fn new(chunk: &Chunk, defined: &[&Definition], vector: Option<&[f32]>) -> Self {
        let terms_hash = terms_hash(chunk, defined, std::iter::empty());
        let vector = vector.map(EncodedVector::new);
        let words = WordPrints::of(&chunk.content);
        Self { traits: traits(chunk, defined), hash: text_hash(chunk), terms_hash, words, vector }
    }
}

pub(crate) fn traits(chunk: &Chunk, defined: &[&Definition]) -> TraitBits {
    let mut traits = TraitBits::new(chunk.is_test);
    for definition in defined {
        traits.add(definition.kind);
    }
    traits
}

fn text_hash(chunk: &Chunk) -> TextHash {
    let hash = blake3::hash(chunk.embedding_text().as_bytes());
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// A hash of what full text indexes of a chunk beside its embedded text, and of how it does so. `further` are terms that a
/// backend adds.
pub(crate) fn terms_hash<'t>(
    chunk: &'t Chunk,
    defined: &[&'t Definition],
    further: impl Iterator<Item = &'t str>,
) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&fulltext::TOKENIZER_VERSION.to_le_bytes());
    hasher.update(&[enum_codes::class_code(chunk.class) as u8]);
    let signatures = defined.iter().map(|definition| definition.signature.as_str());
    let parts = [chunk.symbol.as_deref(), chunk.parent_context.as_deref()].into_iter().flatten();
    for part in parts.chain(signatures).chain(further) {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    i64::from_le_bytes(hasher.finalize().as_bytes().first_chunk().copied().unwrap_or_default())
}

/// The places of those that repeat none before them within the same definition.
pub(crate) fn distinct_references(references: &[Reference]) -> Vec<usize> {
    let mut seen = FxHashSet::default();
    let mut places = Vec::new();
    for (place, reference) in references.iter().enumerate() {
        let Reference { name, receiver, kind, line: _, enclosing } = reference;
        if seen.insert((name, receiver, kind, enclosing)) {
            places.push(place);
        }
    }
    places
}
