//! The SQLite backend: one file, `index.db`, and three lock files beside it. All SQL of the workspace is here.
//!
//! - [`store`] is the entry; [`reader`] and [`writer`] implement the two halves of the contract; [`rebuild`] builds a
//!   new index beside the old one.
//! - [`connection`], [`database_file`], [`schema`] and [`error`] deal with the file: opening, replacing, migrating, and
//!   telling damage from other failures.
//! - [`candidates`] answers a search in one read transaction, with what [`prepared_query`] has of it for both backends.
//! - [`fulltext`] is an inverted index ranked by BM25; [`vectors`] the quantised vectors, their codes and the search over both;
//!   [`definitions`] and [`references`] look up by name; [`spelling`] suggests words.
//! - [`reader_cache`] keeps in memory what searches read again and again: a [`snapshot`] and a [`chunk_cache`], which
//!   follow the [`change_log`].
//! - [`commits`] holds the repository's history.
//! - [`write_batch`] replaces what the index has of a file, with [`symbols`] and [`interner`], from what [`prepared_file`] worked
//!   out of it before.

mod candidates;
pub(crate) mod change_log;
pub(crate) mod chunk_attributes;
pub(crate) mod chunk_cache;
mod chunk_words;
mod chunks;
pub(crate) mod commits;
mod connection;
mod database_file;
pub(crate) mod definitions;
mod embedding_cache;
pub(crate) mod enum_codes;
mod error;
mod files;
pub(crate) mod fulltext;
pub(crate) mod generations;
pub(crate) mod interner;
mod meta;
mod multi_insert;
mod name_words;
pub(crate) mod packed_facts;
pub(crate) mod pending_order;
pub(crate) mod prepared_file;
pub(crate) mod prepared_query;
mod reader;
mod reader_cache;
mod rebuild;
mod references;
mod repair;
pub(crate) mod row_bitmap;
mod schema;
mod snapshot;
pub(crate) mod spelling;
pub(crate) mod stage;
mod store;
pub(crate) mod symbols;
pub(crate) mod top_k;
pub(crate) mod varint;
pub(crate) mod vectors;
mod versioned;
mod write_batch;
mod writer;

pub use embedding_cache::EmbeddingCache;
pub use fulltext::TOKENIZER_VERSION;
pub use store::SqliteStore;
