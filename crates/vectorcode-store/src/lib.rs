//! Saves and finds chunks, vectors, full text and symbols.
//!
//! The engine sees two traits, [`IndexReader`] and [`IndexWriter`]; SQLite with `sqlite-vec` stands behind
//! them. All SQL of the workspace is in this crate.

mod cache;
mod catalog;
mod codes;
mod contract;
mod damage;
mod database;
mod definitions;
mod error;
mod fulltext;
mod interner;
mod live;
mod lock;
mod matrix;
mod meta;
mod quantize;
mod reader;
mod rebuild;
mod replace;
mod rowset;
mod schema;
mod writer;

pub use cache::EmbeddingCache;
pub use contract::{
    ChunkFilter, ChunkRow, DefinitionMatch, FileState, FileUpdate, IndexReader, IndexSpaces, IndexStats,
    IndexWriter, NameMatch, PendingChunk, Scored, Stage, StoredChunk, StoredDefinition, TestCode, TextQuery,
    TextTerm, WriteOutcome,
};
pub use damage::set_aside;
pub use error::StoreError;
pub use lock::WriterLock;
pub use reader::SqliteReader;
pub use rebuild::Rebuild;
pub use writer::SqliteWriter;
