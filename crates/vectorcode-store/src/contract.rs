//! What the engine needs of a store, and nothing more, so that a server could stand behind it one day.

use std::collections::HashMap;
use std::sync::Arc;

use vectorcode_core::api::Coverage;
use vectorcode_core::{
    Chunk, ContentClass, Definition, FileFlags, Import, ParsedFile, Reference, SkipReason, VectorSpace,
};

use crate::StoreError;

pub type Result<T, E = StoreError> = std::result::Result<T, E>;

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

/// Which of the two sets of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The bundled static model's.
    Static,
    /// The configured provider's.
    Provider,
}

/// What the index remembers of a file to know whether it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    pub mtime_ns: i64,
    pub size: u64,
    /// `blake3` of the content.
    pub hash: [u8; 32],
}

/// A file as it now is. Replaces all that the index had of that path.
#[derive(Clone, Debug)]
pub struct FileUpdate {
    pub state: FileState,
    pub parsed: ParsedFile,
    /// One for each chunk of `parsed`; `None` for a text without words.
    pub static_vectors: Vec<Option<Vec<f32>>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOutcome {
    pub chunks_new: u64,
    /// Chunks whose embedded text was there before; their provider vectors were kept.
    pub chunks_unchanged: u64,
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

/// A place in a ranked list; greater is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    pub row: ChunkRow,
    pub score: f32,
}

/// Test code in or out of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestCode {
    #[default]
    Any,
    Exclude,
    Only,
}

/// Restricts a search before its top k is taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkFilter {
    /// Empty: all.
    pub languages: Vec<String>,
    /// Only paths that begin so.
    pub path_prefix: Option<String>,
    /// Only paths that match this glob.
    pub path_glob: Option<String>,
    /// Only files that are one of these paths or lie below one; empty: all.
    pub within: Vec<String>,
    /// No file that is one of these paths or lies below one.
    pub outside: Vec<String>,
    /// Only chunks of this syntax kind, or that define a symbol of this common kind.
    pub kind: Option<String>,
    pub class: Option<ContentClass>,
    pub tests: TestCode,
}

/// A term of a full-text query, already a single lower-case word.
#[derive(Clone, Debug, PartialEq)]
pub struct TextTerm {
    pub word: String,
    /// Also match words that begin so.
    pub prefix: bool,
}

/// A full-text query: chunks that hold any of the terms, ranked by BM25 with weighted columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextQuery {
    pub terms: Vec<TextTerm>,
}

/// A chunk as it is in the index.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChunk {
    pub row: ChunkRow,
    pub chunk: Chunk,
    pub flags: FileFlags,
}

/// How a name is looked up among definitions. All but `Fuzzy` ignore case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameMatch {
    /// The bare or the qualified name, whole.
    Exact(String),
    Prefix(String),
    /// Every word of the split name is among these, or they all are in it (`create user` finds `createUser`).
    Words(Vec<String>),
    /// Names within a small edit distance, or that hold the text.
    Fuzzy(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredDefinition {
    pub path: String,
    pub language: String,
    pub is_test: bool,
    pub definition: Definition,
    /// The chunk that holds the definition's name.
    pub row: ChunkRow,
    /// Its place among the definitions of its file, by which [`Reference::enclosing`] names it.
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

/// A use of a name, and the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReference {
    pub path: String,
    pub reference: Reference,
}

/// A definition that a look-up found; greater is better.
#[derive(Clone, Debug, PartialEq)]
pub struct DefinitionMatch {
    pub definition: StoredDefinition,
    pub score: f32,
}

/// The chunk of a definition that a look-up found; greater is better.
#[derive(Clone, Debug, PartialEq)]
pub struct DefiningChunk {
    pub row: ChunkRow,
    /// What it defines, as written.
    pub name: String,
    pub score: f32,
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
    /// Files by language, most first.
    pub languages: Vec<(String, u64)>,
    pub database_bytes: u64,
}

/// The reading half. Any number of processes may read while one writes.
pub trait IndexReader: Send + Sync {
    fn files(&self) -> Result<HashMap<String, FileState>>;
    fn file(&self, path: &str) -> Result<Option<FileState>>;
    fn stats(&self) -> Result<IndexStats>;
    /// How many chunks have a provider vector. Cheaper than all of [`Self::stats`].
    fn coverage(&self) -> Result<Coverage>;
    /// How many chunks the filter lets through.
    fn count(&self, filter: &ChunkFilter) -> Result<u64>;
    fn skipped(&self) -> Result<Vec<(SkipReason, u64)>>;
    fn meta(&self, key: &str) -> Result<Option<String>>;
    /// The spaces of the vectors, fixed when the index was made, or when its provider changed.
    fn spaces(&self) -> Result<IndexSpaces>;

    fn full_text(&self, query: &TextQuery, filter: &ChunkFilter, k: usize) -> Result<Vec<Scored>>;
    /// Cosine similarity, best first.
    fn nearest(&self, stage: Stage, vector: &[f32], filter: &ChunkFilter, k: usize) -> Result<Vec<Scored>>;
    /// Cosine similarity of these very chunks; `None` where one has no vector.
    fn similarities(&self, stage: Stage, vector: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>>;
    /// In the order of `rows`; rows that are gone are left out.
    fn chunks(&self, rows: &[ChunkRow]) -> Result<Vec<Arc<StoredChunk>>>;
    /// The chunks of one file in file order.
    fn chunks_of(&self, path: &str) -> Result<Vec<StoredChunk>>;
    fn definitions(&self, name: &NameMatch, filter: &ChunkFilter, k: usize) -> Result<Vec<DefinitionMatch>>;
    /// The chunks of what [`Self::definitions`] finds, in its order: cheaper, where no more is asked.
    fn defining_chunks(&self, name: &NameMatch, filter: &ChunkFilter, k: usize)
    -> Result<Vec<DefiningChunk>>;
    /// The definitions of one file in file order.
    fn definitions_of(&self, path: &str) -> Result<Vec<StoredDefinition>>;
    /// The definitions of exactly this bare name.
    fn definitions_named(&self, name: &str) -> Result<Vec<StoredDefinition>>;
    /// The uses of exactly this name. One that repeats within a definition is there once.
    fn references_named(&self, name: &str) -> Result<Vec<StoredReference>>;
    fn references_of(&self, path: &str) -> Result<Vec<Reference>>;
    /// Every import statement with the path of its file, in the order of paths and lines.
    fn imports(&self) -> Result<Vec<(String, Import)>>;
    /// All files in the order of their paths.
    fn source_files(&self) -> Result<Vec<SourceFile>>;
    /// A number that is another one whenever a file was written or removed.
    fn facts_version(&self) -> Result<i64>;
    /// Chunks without a provider vector, those of recently modified files first.
    fn pending(&self, k: usize) -> Result<Vec<PendingChunk>>;
}

/// The writing half: each call is one transaction.
pub trait IndexWriter: IndexReader {
    fn write_files(&mut self, updates: &[FileUpdate]) -> Result<WriteOutcome>;
    /// The content is the same, only its time changed.
    fn touch_files(&mut self, files: &[(String, FileState)]) -> Result<()>;
    fn remove_files(&mut self, paths: &[String]) -> Result<()>;
    fn write_vectors(&mut self, vectors: &[(ChunkRow, Vec<f32>)]) -> Result<()>;
    /// Makes room for vectors of another space: those of the old one go, and every chunk waits for a new one.
    fn change_provider(&mut self, space: &VectorSpace) -> Result<()>;
    /// The provider refuses this text: do not offer it again.
    fn refuse(&mut self, row: ChunkRow, reason: &str) -> Result<()>;
    fn set_skipped(&mut self, counts: &[(SkipReason, u64)]) -> Result<()>;
    fn set_meta(&mut self, key: &str, value: &str) -> Result<()>;
    /// Gives the space that deleted rows left free back to the disk. Worth its time at the end of a long run.
    fn compact(&mut self) -> Result<()>;
}
