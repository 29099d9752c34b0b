//! Small parsed files and indexes to test with.

use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use vectorcode_core::{
    Chunk, ContentClass, Definition, DefinitionKind, FileFlags, Import, ParsedFile, Reference, ReferenceKind,
    Span, VectorSpace,
};
use vectorcode_store::{
    Candidate, CandidateQuery, ChunkFilter, ChunkRow, ContentVersion, FileState, FileUpdate, IndexReader,
    IndexSpaces, IndexWriter, SqliteStore, Store, StoreError, StoreErrorCode, TextQuery, TextTerm,
};

pub const DIMENSIONS: usize = 8;

pub fn spaces() -> IndexSpaces {
    IndexSpaces {
        statics: VectorSpace::new("static", "test", DIMENSIONS),
        provider: VectorSpace::new("onnx", "test", DIMENSIONS),
    }
}

/// Opens a backend whose index is in a directory, which exists.
pub type OpenStore = fn(&Path) -> Arc<dyn Store>;

pub fn sqlite(directory: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_in(directory))
}

/// An index in a directory of its own.
pub struct Index {
    pub directory: TempDir,
    pub store: Arc<dyn Store>,
    pub writer: Box<dyn IndexWriter>,
}

impl Index {
    pub fn new(open: OpenStore) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let writer = store.create(&spaces()).unwrap();
        Self { directory, store, writer }
    }

    /// A reader of its own, as another process has one.
    pub fn reader(&self) -> Arc<dyn IndexReader> {
        self.store.reader().unwrap()
    }

    /// What the writer reads.
    pub fn read(&self) -> &dyn IndexReader {
        self.writer.reader()
    }

    /// The contents of the chunks of a file.
    pub fn contents_of(&self, path: &str) -> Vec<String> {
        self.read().chunks_of(path).unwrap().into_iter().map(|stored| stored.chunk.content).collect()
    }
}

/// The code of the error that a call must end in.
pub fn code<T>(result: Result<T, StoreError>) -> Option<StoreErrorCode> {
    result.err().map(|error| error.code())
}

/// Which of the two sets of vectors.
#[derive(Clone, Copy)]
pub enum Vectors {
    Static,
    Provider,
}

/// The `k` chunks whose vectors are nearest, best first, with their similarity.
pub fn nearest(
    reader: &dyn IndexReader,
    vectors: Vectors,
    vector: &[f32],
    filter: &ChunkFilter,
    k: usize,
) -> Result<Vec<(ChunkRow, f32)>, StoreError> {
    let (vector, mut query) = (Some(vector.to_vec()), only(filter, k));
    match vectors {
        Vectors::Static => query.static_vector = vector,
        Vectors::Provider => query.provider_vector = vector,
    }
    let similarity = |found: &Candidate| match vectors {
        Vectors::Static => found.static_similarity,
        Vectors::Provider => found.provider_similarity,
    };
    let found = reader.candidates(&query)?;
    Ok(ranked(found.iter().filter_map(|found| Some((found.chunk.row, similarity(found)?)))))
}

/// The `k` chunks that hold any of the words, best first, with their score.
pub fn full_text(
    reader: &dyn IndexReader,
    words: &[&str],
    filter: &ChunkFilter,
    k: usize,
) -> Vec<(ChunkRow, f32)> {
    let terms = words.iter().map(|word| TextTerm { word: (*word).into(), prefix: false }).collect();
    let query = CandidateQuery { text: TextQuery { terms }, ..only(filter, k) };
    ranked(reader.candidates(&query).unwrap().iter().map(|found| (found.chunk.row, found.full_text)))
}

fn only(filter: &ChunkFilter, depth: usize) -> CandidateQuery {
    CandidateQuery { filter: filter.clone(), depth, ..CandidateQuery::default() }
}

/// Best first. Candidates come by path and position, and a stable sort leaves ties in that order: by row they would depend
/// on the order of edits.
fn ranked(found: impl Iterator<Item = (ChunkRow, f32)>) -> Vec<(ChunkRow, f32)> {
    let mut found: Vec<_> = found.collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

/// A direction that is the same for the same number and differs between numbers.
pub fn vector(seed: usize) -> Vec<f32> {
    (0..DIMENSIONS).map(|i| ((seed * 31 + i * 17 + 7) as f32 * 12.9898).sin()).collect()
}

/// What the static vectors of a file's chunks count from.
pub fn seed(path: &str) -> usize {
    path.bytes().fold(0, |sum, byte| (sum * 31 + usize::from(byte)) % 10_007)
}

/// One function a line: `name body words`; each line is a chunk that defines `name`.
pub fn file(path: &str, lines: &[&str]) -> FileUpdate {
    let mut offset = 0;
    let (mut chunks, mut definitions) = (Vec::new(), Vec::new());
    for (place, line) in lines.iter().enumerate() {
        let name = line.split(' ').next().unwrap_or_default();
        let span = span(place as u32 + 1, offset, line.len());
        offset += line.len() + 1;
        chunks.push(chunk(path, name, line, span));
        definitions.push(definition(name, span));
    }
    let references = lines.iter().enumerate().map(|(place, line)| reference(place, line)).collect();
    let imports = vec![Import {
        specifier: "./other".into(),
        names: vec!["other".into()],
        line: 1,
        kind: "use".into(),
    }];
    let parsed = ParsedFile {
        path: path.into(),
        language: language(path).into(),
        class: class(path),
        flags: FileFlags { test: path.starts_with("tests/"), ..FileFlags::default() },
        chunks,
        definitions,
        references,
        imports,
    };
    let static_vectors = (0..lines.len()).map(|place| Some(vector(seed(path) + place))).collect();
    FileUpdate { state: state(&lines.join("\n")), parsed, static_vectors }
}

pub fn state(content: &str) -> FileState {
    FileState {
        mtime_ns: 1,
        size: content.len() as u64,
        hash: *blake3::hash(content.as_bytes()).as_bytes(),
        content_version: ContentVersion(1),
    }
}

fn span(line: u32, offset: usize, length: usize) -> Span {
    Span { start_line: line, end_line: line, byte_start: offset as u32, byte_end: (offset + length) as u32 }
}

fn chunk(path: &str, name: &str, content: &str, span: Span) -> Chunk {
    Chunk {
        path: path.into(),
        span,
        symbol: Some(name.into()),
        kind: "function_item".into(),
        content: content.into(),
        parent_context: None,
        language: language(path).into(),
        class: class(path),
        is_test: path.starts_with("tests/"),
    }
}

fn language(path: &str) -> &'static str {
    if path.contains(".py") { "python" } else { "rust" }
}

fn class(path: &str) -> ContentClass {
    if path.contains(".md") { ContentClass::Docs } else { ContentClass::Code }
}

fn definition(name: &str, span: Span) -> Definition {
    Definition {
        name: name.into(),
        qualified: format!("app::{name}"),
        kind: if name.starts_with(char::is_uppercase) {
            DefinitionKind::Struct
        } else {
            DefinitionKind::Function
        },
        signature: format!("fn {name}()"),
        span,
        name_line: span.start_line,
    }
}

fn reference(place: usize, line: &str) -> Reference {
    Reference {
        name: line.split(' ').next_back().unwrap_or_default().into(),
        receiver: None,
        kind: ReferenceKind::Call,
        line: place as u32 + 1,
        enclosing: Some(place as u32),
    }
}
