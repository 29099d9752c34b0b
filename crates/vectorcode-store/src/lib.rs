//! Saves and finds chunks, vectors, full text and symbols.
//!
//! The engine sees two traits, [`IndexReader`] and [`IndexWriter`]; SQLite with `sqlite-vec` and FTS5 stands
//! behind them. All SQL of the workspace is in this crate.

mod catalog;
mod codes;
mod contract;
mod database;
mod definitions;
mod document;
mod error;
mod interner;
mod live;
mod matrix;
mod meta;
mod quantize;
mod reader;
mod replace;
mod rowset;
mod schema;
mod writer;

pub use contract::{
    ChunkFilter, ChunkRow, DefinitionMatch, FileState, FileUpdate, IndexReader, IndexSpaces, IndexStats,
    IndexWriter, NameMatch, PendingChunk, Scored, Stage, StoredChunk, StoredDefinition, TestCode, TextQuery,
    TextTerm, WriteOutcome,
};
pub use error::StoreError;
pub use reader::SqliteReader;
pub use writer::SqliteWriter;
