//! Everything that can be computed from a file before its transaction, on the thread that read it: hashes, words, and vectors in
//! their stored form.

use vectorcode_core::{Chunk, Definition, WordHashes};

use super::enum_codes::{self, TraitBits};
use super::fulltext::{self, FileTerms};
use super::packed_facts::{pack_imports, pack_uses};
use super::symbols;
use super::vectors::EncodedVector;
use crate::contract::FileUpdate;

pub(crate) type TextHash = [u8; 16];

#[derive(Debug)]
pub(crate) struct PreparedFile {
    pub chunks: Vec<PreparedChunk>,
    pub terms: FileTerms,
    /// For each definition, the index of the chunk that contains its name.
    pub defining_chunks: Vec<usize>,
    /// Packed by [`pack_uses`].
    pub uses: Vec<u8>,
    pub imports: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct PreparedChunk {
    pub traits: TraitBits,
    /// Of the embedded text.
    pub hash: TextHash,
    pub terms_hash: i64,
    pub words: WordHashes,
    pub vector: Option<EncodedVector>,
    /// The provider's vector, if it is known.
    pub known_vector: Option<EncodedVector>,
}

impl PreparedFile {
    pub fn new(update: &FileUpdate) -> Self {
        let parsed = &update.parsed;
        let defining_chunks = symbols::defining_chunks(parsed);
        let mut terms = FileTerms::default();
        let vectors = update.static_vectors.iter().chain(std::iter::repeat(&None));
        let known = update.known_vectors.iter().chain(std::iter::repeat(&None));
        let mut chunks = Vec::with_capacity(parsed.chunks.len());
        let facts =
            symbols::defined_in(parsed, &defining_chunks).into_iter().zip(symbols::used_names(parsed));
        for ((chunk, (defined, used)), (vector, known)) in
            parsed.chunks.iter().zip(facts).zip(vectors.zip(known))
        {
            terms.add(chunk, defined.iter().map(|definition| definition.signature.as_str()));
            for name in &used {
                terms.add_term(&fulltext::used_term(name));
            }
            let known_vector = known.as_deref().map(EncodedVector::new);
            let prepared = PreparedChunk::new(chunk, &defined, &used, vector.as_deref());
            chunks.push(PreparedChunk { known_vector, ..prepared });
        }
        let (uses, imports) = (pack_uses(&parsed.references), pack_imports(&parsed.imports));
        Self { chunks, terms, defining_chunks, uses, imports }
    }
}

impl PreparedChunk {
    fn new(chunk: &Chunk, defined: &[&Definition], used: &[&str], vector: Option<&[f32]>) -> Self {
        let terms_hash = terms_hash(chunk, defined, used);
        let vector = vector.map(EncodedVector::new);
        let words = WordHashes::of(&chunk.content);
        let (traits, hash) = (traits(chunk, defined), text_hash(chunk));
        Self { traits, hash, terms_hash, words, vector, known_vector: None }
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

/// A hash of what full text indexes for a chunk in addition to its embedded text, and of the tokenizer version.
pub(crate) fn terms_hash(chunk: &Chunk, defined: &[&Definition], used: &[&str]) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&fulltext::TOKENIZER_VERSION.to_le_bytes());
    hasher.update(&[enum_codes::class_code(chunk.class) as u8]);
    let signatures = defined.iter().map(|definition| definition.signature.as_str());
    let parts = [chunk.symbol.as_deref(), chunk.parent_context.as_deref()].into_iter().flatten();
    for part in parts.chain(signatures).chain(used.iter().copied()) {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    i64::from_le_bytes(hasher.finalize().as_bytes().first_chunk().copied().unwrap_or_default())
}
