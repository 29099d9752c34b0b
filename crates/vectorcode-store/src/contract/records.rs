//! The records of an index: files, chunks, definitions, references and statistics.

use std::any::Any;
use std::sync::Arc;

use vectorcode_core::{
    BlobId, Chunk, CommitId, ContentClass, Definition, FileFlags, ParsedFile, Reference, Span, VectorSpace,
    WordHashes,
};

/// The integer id of a chunk inside the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkRow(pub i64);

/// The vector spaces of the two sets of vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSpaces {
    /// Of the bundled static model.
    pub statics: VectorSpace,
    /// Of the configured provider.
    pub provider: VectorSpace,
}

/// What the index stores about a file to detect changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    pub mtime_ns: i64,
    pub size: u64,
    /// `blake3` of the content.
    pub hash: [u8; 32],
    /// The git object id of the content; `None` if it is unknown or cannot be trusted.
    pub blob: Option<BlobId>,
    /// The version of the code that turned the content into chunks, symbols and words.
    pub content_version: ContentVersion,
}

/// The integer id of a file version inside the index: the content of a file at a path. Worktrees and commits in which the file
/// has the same content share its file version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileRow(pub i64);

/// A stored file version, of a worktree or of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredContent {
    pub file: FileRow,
    /// The modification time is that of the worktree or commit that wrote this version.
    pub state: FileState,
}

/// The files of a commit, as selected by one set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TreeKey {
    pub commit: CommitId,
    /// A hash of the settings that decide which files are read, and how.
    pub rules: [u8; 16],
}

/// The combined version of everything that determines what is stored for a file. The next sync re-reads every file whose stored
/// version differs, so that upgrading the program needs no rebuild and can be interrupted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentVersion(pub i64);

impl ContentVersion {
    /// 16 bits for each part, so that the number is readable in hexadecimal.
    pub fn new(parts: ContentParts) -> Self {
        let ContentParts { chunker, extractor, tokenizer, embedded_text } = parts;
        let shifted = |part: u16, bits: u32| i64::from(part) << bits;
        Self(
            shifted(chunker, 48) | shifted(extractor, 32) | shifted(tokenizer, 16) | i64::from(embedded_text),
        )
    }
}

/// One version for each step that determines what is stored for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentParts {
    pub chunker: u16,
    pub extractor: u16,
    pub tokenizer: u16,
    pub embedded_text: u16,
}

/// The current state of a file. Replaces everything the index had for its path.
#[derive(Clone, Debug)]
pub struct FileUpdate {
    pub state: FileState,
    pub parsed: ParsedFile,
    /// One for each chunk of `parsed`; `None` for a text without words.
    pub static_vectors: Vec<Option<Vec<f32>>>,
    /// Provider vectors that are already known, one for each chunk; empty if there are none. A chunk with such a vector does not
    /// become pending.
    pub known_vectors: Vec<Option<Vec<f32>>>,
}

/// What a backend computes from a file before writing it ([`super::IndexWriter::preparation`]). Opaque to everybody but that
/// backend.
#[derive(Debug, Default)]
pub struct PreparedFile(Option<Box<dyn Any + Send>>);

impl PreparedFile {
    pub(crate) fn new(prepared: impl Any + Send) -> Self {
        Self(Some(Box::new(prepared)))
    }

    /// The prepared value, if it has this type.
    pub(crate) fn into_inner<T: Any>(self) -> Option<T> {
        self.0?.downcast().ok().map(|prepared| *prepared)
    }
}

/// Prepares a file. It needs no access to the index, so every thread that reads files can call it.
pub type Preparation = fn(&FileUpdate) -> PreparedFile;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOutcome {
    pub chunks_new: u64,
    /// Chunks whose embedded text was there before, so that their provider vectors were kept.
    pub chunks_unchanged: u64,
    /// New chunks that took a vector from [`FileUpdate::known_vectors`].
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

/// A chunk as stored in the index.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChunk {
    pub row: ChunkRow,
    pub chunk: Chunk,
    pub flags: FileFlags,
}

/// What ranking needs to know about a chunk, without its text. Many are cached, so strings that chunks have in common are shared.
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
    /// Fingerprints of the words in its text.
    pub words: WordHashes,
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
            words: WordHashes::of(&chunk.content),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredDefinition {
    pub path: String,
    pub language: String,
    pub is_test: bool,
    pub definition: Definition,
    /// The chunk that contains the definition's name.
    pub row: ChunkRow,
    /// Its position among the definitions of its file, which [`Reference::enclosing`] refers to.
    pub ordinal: u32,
}

/// A file, as seen by the code graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub path: String,
    pub language: String,
    pub class: ContentClass,
    pub is_test: bool,
}

/// A reference to a name, with the path of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReference {
    pub path: String,
    pub reference: Reference,
}

/// A definition found by a lookup. A higher score is better.
#[derive(Clone, Debug, PartialEq)]
pub struct DefinitionMatch {
    pub definition: StoredDefinition,
    pub score: f32,
}

/// A chunk proposed by some list of a [`super::CandidateQuery`], scored by every measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub chunk: Arc<ChunkFacts>,
    /// BM25; 0 if it contains none of the words.
    pub full_text: f32,
    /// Cosine similarity to the query; `None` if either side has no vector.
    pub static_similarity: Option<f32>,
    pub provider_similarity: Option<f32>,
    /// The same three scores for each of [`super::CandidateQuery::parts`], in order.
    pub parts: Vec<PartScores>,
    /// The queried names that this chunk defines.
    pub names: Vec<NameHit>,
}

/// How well a chunk matches one part of the question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartScores {
    /// BM25; 0 if it contains none of the part's words.
    pub full_text: f32,
    /// Cosine similarity; `None` if either side has no vector.
    pub static_similarity: Option<f32>,
    pub provider_similarity: Option<f32>,
}

/// How common some words are in the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordFrequencies {
    /// The total number of chunks.
    pub chunks: u64,
    /// For each queried word, in order: the number of chunks that contain it.
    pub holding: Vec<u64>,
}

/// A definition that matches a name of the query.
#[derive(Clone, Debug, PartialEq)]
pub struct NameHit {
    /// An index into [`super::CandidateQuery::names`].
    pub query: usize,
    /// The defined name, as written.
    pub name: String,
    pub score: f32,
}

/// The size of an index.
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
    /// Chunks whose text the provider refused permanently.
    pub refused: u64,
    /// Commits with a message. Those that changed nothing in the project are stored without one.
    pub commits: u64,
    /// Number of files for each language, largest first.
    pub languages: Vec<(String, u64)>,
    /// Number of files for each combination of flags.
    pub flags: Vec<(FileFlags, u64)>,
    pub database_bytes: u64,
}
