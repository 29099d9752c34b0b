//! Saves and finds chunks, vectors, full text and symbols.
//!
//! The engine uses the traits of `contract`: [`Store`] opens an index, [`IndexReader`] and [`IndexWriter`] read and write it.
//! There are two backends, [`SqliteStore`], one SQLite file, and [`PostgresStore`], a database that many machines share. All SQL
//! of the workspace is in this crate.
//!
//! - One process writes, under [`LockRole::Write`]. Any number of processes read, in WAL mode, and see each commit.
//! - Vectors are stored with 8 bits per component. They are found by a scan of their codes and then compared exactly. Full text
//!   is an inverted index in plain tables.
//! - Filters are applied during a search: a search for k results returns k, if that many pass the filter.
//! - Scores depend only on the files, not on the order of edits: deleted chunks do not count, and chunks with equal scores are
//!   ordered by path.
//! - An impossible value means damage ([`StoreErrorCode::Damaged`]); a violated constraint in an intact file is a bug in this
//!   program ([`StoreErrorCode::Inconsistent`]).
//! - A complete new index is built next to the old one and replaces it ([`Rebuild`]); a damaged one is set aside.
//! - [`EmbeddingCache`] keeps a user's vectors across projects, in a separate SQLite file that is not part of [`Store`].
//!
//! # Figures
//!
//! `cargo bench -p vectorcode-store` on two busy cores of a Xeon server: the fastest of 150 runs and the median, with synthetic
//! code (1.2 KB per chunk) and vectors of 192 and 384 dimensions.
//!
//! | | 10,000 chunks | 100,000 chunks |
//! |---|---|---|
//! | full text, six words | 0.15 / 0.23 ms | 1.0 / 2.0 ms |
//! | nearest of 192 dimensions | 0.21 / 0.22 ms | 3.5 / 11 ms |
//! | nearest of 384 dimensions | 0.31 / 0.34 ms | 6.4 / 8.0 ms |
//! | new process: open, load 192 dimensions, search | 1.8 / 2.0 ms | 22 / 27 ms |
//! | new process: the same, and 384 dimensions and full text | 6.9 / 9.5 ms | 68 / 85 ms |
//! | definitions by two words | 0.23 / 0.37 ms | 1.8 / 2.2 ms |
//! | bytes per chunk in addition to its text, including both vectors and symbols | 2,140 | 1,858 |
//!
//! Stage one is written at 7,200 to 11,000 chunks per second of the writer's CPU time (real Rust code, 1 KB, four symbols and
//! eight references per chunk, batches of 512 files), provider vectors at 42,000 to 93,000; an edited file costs about 2 ms. A
//! process that serves 50,000 chunks with both sets of vectors uses 47 MB.

mod contract;
mod error;
mod file_lock;
mod index;
mod path_matcher;
mod postgres;
mod sqlite;

pub use contract::{
    Candidate, CandidateQuery, ChunkFacts, ChunkFilter, ChunkRow, CommitText, CommitUpdate, ContentParts,
    ContentVersion, DefinitionMatch, FileRow, FileState, FileUpdate, IndexReader, IndexSize, IndexSpaces,
    IndexStats, IndexWriter, LockGuard, LockRole, NameHit, NameMatch, NameQuery, PartQuery, PartScores,
    PendingChunk, Preparation, PreparedFile, Rebuild, SourceFile, Store, StoredChunk, StoredCommit,
    StoredContent, StoredDefinition, StoredHistory, StoredReference, TestCode, TextQuery, TextTerm, TreeKey,
    WhenHeld, WordCount, WordFrequencies, WriteOutcome,
};
pub use error::{StoreError, StoreErrorCode};
pub use file_lock::{FileLock, process_label};
pub use index::TOKENIZER_VERSION;
pub use path_matcher::PathMatcher;
pub use postgres::{PostgresStore, ProjectKey};
pub use sqlite::{EmbeddingCache, SqliteStore};
