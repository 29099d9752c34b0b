//! The SQLite backend: one file, `index.db`, and three lock files beside it.
//!
//! - [`store`] is the entry; [`reader`] and [`writer`] implement the two halves of the contract; [`rebuild`] builds a
//!   new index beside the old one.
//! - [`connection`], [`database_file`], [`schema`] and [`error`] deal with the file: opening, replacing, migrating, and
//!   telling damage from other failures.
//! - [`candidates`] answers a search in one read transaction, with what [`crate::index::prepared_query`] has of it.
//! - [`fulltext`] and [`vectors`] read and write the tables behind those of [`crate::index`]; [`definitions`] and [`references`]
//!   look up by name; [`spelling`] suggests words.
//! - [`reader_cache`] keeps in memory what searches read again and again: a [`snapshot`] and recent chunks, which follow the
//!   [`change_log`].
//! - [`commits`] holds the repository's history.
//! - [`checkouts`] holds the files of work trees, [`trees`] those of commits that were asked about; [`tree_scope`] shows a
//!   connection those of one tree, and [`hidden_rows`] are the chunks that it must not see.
//! - [`write_batch`] replaces what the index has of a file, with [`symbols`] and [`interner`], from what
//!   [`crate::index::prepared_file`] worked out of it before.

mod candidates;
mod change_log;
mod checkouts;
mod chunk_attributes;
mod chunks;
mod commits;
mod connection;
mod database_file;
mod definitions;
mod embedding_cache;
mod error;
mod files;
mod fulltext;
mod hidden_rows;
mod interner;
mod meta;
mod multi_insert;
mod name_words;
mod reader;
mod reader_cache;
mod rebuild;
mod references;
mod repair;
mod schema;
mod snapshot;
mod spelling;
mod store;
mod symbols;
mod tree_scope;
mod trees;
mod vectors;
mod write_batch;
mod writer;

pub use embedding_cache::EmbeddingCache;
pub use store::SqliteStore;
