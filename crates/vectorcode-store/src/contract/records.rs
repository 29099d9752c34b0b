//! What an index holds: files, chunks, definitions, references, and figures about them.

use std::any::Any;
use std::sync::Arc;

use vectorcode_core::{
    BlobId, Chunk, CommitId, ContentClass, Definition, FileFlags, ParsedFile, Reference, Span, VectorSpace,
    WordPrints,
};

/// The integer under which a chunk is known inside the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkRow(pub i64);

/// The spaces of the two sets of vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSpaces {
    /// Of the bundled static model.
    pub statics: VectorSpace,
    /// Of the configured provider.
    pub provider: VectorSpace,
}

/// What the index remembers of a file to know whether it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    pub mtime_ns: i64,
    pub size: u64,
    /// `blake3` of the content.
    pub hash: [u8; 32],
    /// What git calls the content; `None` where that cannot be trusted, or is not known.
    pub blob: Option<BlobId>,
    /// What turned the content into chunks, symbols and words.
    pub content_version: ContentVersion,
}

/// The integer under which the content of a file is known inside the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileRow(pub i64);

/// What the index has of a path: the file of a work tree, or what a commit has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredContent {
    pub file: FileRow,
    /// Its time is that of whoever wrote it.
    pub state: FileState,
}

/// The files of a commit as some rules choose them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TreeKey {
    pub commit: CommitId,
    /// A hash of what decides which files are read, and how.
    pub rules: [u8; 16],
}

/// The versions of everything that decides what the index has of a file. A file that was written with other ones is read
/// again by the next sync, so that an upgrade of the program needs no rebuild and can be interrupted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentVersion(pub i64);

impl ContentVersion {
    /// 16 bits for each part, so that the number can be read in hexadecimal.
    pub fn new(parts: ContentParts) -> Self {
        let ContentParts { chunker, extractor, tokenizer, embedded_text } = parts;
        let shifted = |part: u16, bits: u32| i64::from(part) << bits;
        Self(
            shifted(chunker, 48) | shifted(extractor, 32) | shifted(tokenizer, 16) | i64::from(embedded_text),
        )
    }
}

/// One version for each thing that decides what the index has of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentParts {
    pub chunker: u16,
    pub extractor: u16,
    pub tokenizer: u16,
    pub embedded_text: u16,
}

/// A file as it now is. Replaces all that the index had of that path.
#[derive(Clone, Debug)]
pub struct FileUpdate {
    pub state: FileState,
    pub parsed: ParsedFile,
    /// One for each chunk of `parsed`; `None` for a text without words.
    pub static_vectors: Vec<Option<Vec<f32>>>,
    /// Vectors of the provider that are known without asking it, likewise; empty where none is. A chunk that gets one does not
    /// become pending.
    pub known_vectors: Vec<Option<Vec<f32>>>,
}

/// What a backend works out of a file before it is written ([`super::IndexWriter::preparation`]). Only the backend that made
/// it can look inside.
#[derive(Debug, Default)]
pub struct PreparedFile(Option<Box<dyn Any + Send>>);

impl PreparedFile {
    pub(crate) fn new(prepared: impl Any + Send) -> Self {
        Self(Some(Box::new(prepared)))
    }

    /// What was prepared, if it is of this type.
    pub(crate) fn into_inner<T: Any>(self) -> Option<T> {
        self.0?.downcast().ok().map(|prepared| *prepared)
    }
}

/// Prepares a file. It needs no access to the index, so that every thread that reads files can call it.
pub type Preparation = fn(&FileUpdate) -> PreparedFile;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOutcome {
    pub chunks_new: u64,
    /// Chunks whose embedded text was there before; their provider vectors were kept.
    pub chunks_unchanged: u64,
    /// New chunks that took one of [`FileUpdate::known_vectors`].
    pub vectors_known: u64,
}

/// A chunk that waits for its provider vector.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingChunk {
    pub row: ChunkRow,
    pub path: String,
    pub start_line: u32,
    /// The exact text to embed.
    pub text: String,
}

/// A chunk as it is in the index.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChunk {
    pub row: ChunkRow,
    pub chunk: Chunk,
    pub flags: FileFlags,
}

/// What ranking knows of a chunk, without its text. Many are kept in memory, so what chunks have in common is shared.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkFacts {
    pub row: ChunkRow,
    pub path: Arc<str>,
    pub language: Arc<str>,
    pub kind: Arc<str>,
    pub span: Span,
    pub symbol: Option<Box<str>>,
    pub class: ContentClass,
    pub is_test: bool,
    pub flags: FileFlags,
    /// The words that its text holds.
    pub words: WordPrints,
}

impl ChunkFacts {
    pub fn of(stored: &StoredChunk) -> Self {
        let chunk = &stored.chunk;
        Self {
            row: stored.row,
            path: chunk.path.as_str().into(),
            language: chunk.language.as_str().into(),
            kind: chunk.kind.as_str().into(),
            span: chunk.span,
            symbol: chunk.symbol.as_deref().map(Into::into),
            class: chunk.class,
            is_test: chunk.is_test,
            flags: stored.flags,
            words: WordPrints::of(&chunk.content),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredDefinition {
    pub path: String,
    pub language: String,
    pub is_test: bool,
    pub definition: Definition,
    /// The chunk that holds the definition's name.
    pub row: ChunkRow,
    /// Its position among the definitions of its file, by which [`Reference::enclosing`] names it.
    pub ordinal: u32,
}

/// A file as the code graph sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub path: String,
    pub language: String,
    pub class: ContentClass,
    pub is_test: bool,
}

/// A reference to a name, and the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReference {
    pub path: String,
    pub reference: Reference,
}

/// A definition that a lookup found; a greater score is better.
#[derive(Clone, Debug, PartialEq)]
pub struct DefinitionMatch {
    pub definition: StoredDefinition,
    pub score: f32,
}

/// A chunk that some list of a [`super::CandidateQuery`] proposed, with what is known of it by every measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub chunk: Arc<ChunkFacts>,
    /// BM25; 0 when it holds none of the words.
    pub full_text: f32,
    /// Cosine similarity to the query; `None` without a vector on either side.
    pub static_similarity: Option<f32>,
    pub provider_similarity: Option<f32>,
    /// The same three of each of [`super::CandidateQuery::parts`], in their order.
    pub parts: Vec<PartScores>,
    /// The names of the query that it defines.
    pub names: Vec<NameHit>,
}

/// How well a chunk fits a part of the question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartScores {
    /// BM25; 0 when it holds none of the part's words.
    pub full_text: f32,
    /// Cosine similarity; `None` without a vector on either side.
    pub static_similarity: Option<f32>,
    pub provider_similarity: Option<f32>,
}

/// How common some words are in the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordFrequencies {
    /// How many chunks there are.
    pub chunks: u64,
    /// For each word that was asked for, in order: how many chunks hold it.
    pub holding: Vec<u64>,
}

/// A definition that a name of the query found.
#[derive(Clone, Debug, PartialEq)]
pub struct NameHit {
    /// Which of [`super::CandidateQuery::names`].
    pub query: usize,
    /// What is defined, as written.
    pub name: String,
    pub score: f32,
}

/// How much an index holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexSize {
    pub files: u64,
    pub chunks: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexStats {
    pub files: u64,
    pub chunks: u64,
    pub symbols: u64,
    /// Chunks that have a provider vector.
    pub embedded: u64,
    /// Chunks whose text the provider refused for good.
    pub refused: u64,
    /// Commits of the history that say something about the project.
    pub commits: u64,
    /// Files by language, most first.
    pub languages: Vec<(String, u64)>,
    /// Files by their properties.
    pub flags: Vec<(FileFlags, u64)>,
    pub database_bytes: u64,
}
