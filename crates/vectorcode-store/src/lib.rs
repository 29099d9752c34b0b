//! Saves and finds chunks, vectors, full text and symbols.
//!
//! The engine sees two traits, [`IndexReader`] and [`IndexWriter`]; SQLite with `sqlite-vec` and FTS5 stands
//! behind them. All SQL of the workspace is in this crate.

mod contract;
mod error;

pub use contract::{
    ChunkFilter, ChunkRow, DefinitionMatch, FileState, FileUpdate, IndexReader, IndexSpaces, IndexStats,
    IndexWriter, NameMatch, PendingChunk, Scored, Stage, StoredChunk, StoredDefinition, TestCode, TextQuery,
    TextTerm, WriteOutcome,
};
pub use error::StoreError;
