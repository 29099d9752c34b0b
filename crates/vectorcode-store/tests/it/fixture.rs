//! Test indexes. Their files come from the test kit.

use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use vectorcode_store::{
    Candidate, CandidateQuery, ChunkFilter, ChunkRow, IndexReader, IndexWriter, PostgresStore, ProjectKey,
    SqliteStore, Store, StoreError, StoreErrorCode, TextQuery, TextTerm,
};
pub use vectorcode_testkit::small_index::{file, seed, spaces, state, vector};

/// Opens a backend whose index is in an existing directory.
pub type OpenStore = fn(&Path) -> Arc<dyn Store>;

pub fn sqlite(directory: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_in(directory))
}

/// The URL of the test database, from `VECTORCODE_TEST_POSTGRES`.
pub fn postgres_url() -> Option<String> {
    std::env::var("VECTORCODE_TEST_POSTGRES").ok().filter(|url| !url.is_empty())
}

/// Whether there is a PostgreSQL server to test with. `.ci/run` and `scripts/postgres.sh` start one.
pub fn has_postgres() -> bool {
    let is_there = postgres_url().is_some();
    if !is_there {
        eprintln!("skipped: VECTORCODE_TEST_POSTGRES names no PostgreSQL server");
    }
    is_there
}

/// The directory only serves as a name.
pub fn postgres(directory: &Path) -> Arc<dyn Store> {
    let checkout = directory.display().to_string();
    let key = ProjectKey { project: checkout.clone(), checkout };
    Arc::new(PostgresStore::new(&postgres_url().unwrap(), &key))
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

    /// A new reader, as another process would have.
    pub fn reader(&self) -> Arc<dyn IndexReader> {
        self.store.reader().unwrap()
    }

    /// The writer's own reader.
    pub fn read(&self) -> &dyn IndexReader {
        self.writer.reader()
    }

    /// The contents of a file's chunks.
    pub fn contents_of(&self, path: &str) -> Vec<String> {
        self.read().chunks_of(path).unwrap().into_iter().map(|stored| stored.chunk.content).collect()
    }
}

/// The code of the expected error.
pub fn code<T>(result: Result<T, StoreError>) -> Option<StoreErrorCode> {
    result.err().map(|error| error.code())
}

/// One of the two sets of vectors.
#[derive(Clone, Copy)]
pub enum Vectors {
    Static,
    Provider,
}

/// The `k` nearest chunks with their similarities, best first.
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

/// The `k` best chunks that contain any of the words, with their scores, best first.
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

/// Best first. Candidates are ordered by path and position, and a stable sort keeps ties in that order; row ids would depend on
/// the order of edits.
fn ranked(found: impl Iterator<Item = (ChunkRow, f32)>) -> Vec<(ChunkRow, f32)> {
    let mut found: Vec<_> = found.collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}
