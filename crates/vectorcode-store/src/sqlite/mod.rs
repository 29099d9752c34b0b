//! The SQLite backend: one file, `index.db`, and three lock files beside it. All SQL of the workspace is here.
//!
//! - [`store`] is the entry; [`reader`] and [`writer`] implement the two halves of the contract; [`rebuild`] builds a
//!   new index beside the old one.
//! - [`connection`], [`database_file`], [`schema`] and [`error`] deal with the file: opening, replacing, migrating, and
//!   telling damage from other failures.
//! - [`candidates`] answers a search in one read transaction.
//! - [`fulltext`] is an inverted index ranked by BM25; [`vectors`] the quantised vectors, their codes and the search over both;
//!   [`definitions`] and [`references`] look up by name; [`spelling`] suggests words.
//! - [`reader_cache`] keeps in memory what searches read again and again: a [`snapshot`] and a [`chunk_cache`], which
//!   follow the [`change_log`].
//! - [`commits`] holds the repository's history.
//! - [`write_batch`] replaces what the index has of a file, with [`symbols`] and [`interner`].

mod candidates;
mod change_log;
mod chunk_attributes;
mod chunk_cache;
mod chunks;
mod commits;
mod connection;
mod database_file;
mod definitions;
mod embedding_cache;
mod enum_codes;
mod error;
mod files;
mod fulltext;
mod generations;
mod interner;
mod meta;
mod reader;
mod reader_cache;
mod rebuild;
mod references;
mod row_bitmap;
mod schema;
mod snapshot;
mod spelling;
mod stage;
mod store;
mod symbols;
mod top_k;
mod vectors;
mod write_batch;
mod writer;

pub use embedding_cache::EmbeddingCache;
pub use fulltext::TOKENIZER_VERSION;
pub use store::SqliteStore;
