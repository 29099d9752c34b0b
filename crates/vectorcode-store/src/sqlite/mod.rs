//! The SQLite backend: one file, `index.db`, with three lock files next to it.
//!
//! - [`store`] is the entry point; [`reader`] and [`writer`] implement the contract; [`rebuild`] builds a new index while the old
//!   one stays in use.
//! - [`connection`], [`database_file`], [`schema`] and [`error`] handle the file: opening, replacing, migrating, and
//!   distinguishing damage from other failures.
//! - [`candidates`] answers a search in one read transaction, from an [`crate::index::prepared_query`].
//! - [`fulltext`] and [`vectors`] read and write the tables for the formats of [`crate::index`]; [`definitions`] and
//!   [`references`] look up names; [`spelling`] suggests words.
//! - [`reader_cache`] keeps in memory what searches read repeatedly: a [`snapshot`] and recent chunks, kept up to date from the
//!   [`change_log`].
//! - [`commits`] stores the commit history.
//! - [`checkouts`] stores the files of worktrees, [`trees`] those of indexed commits; [`tree_scope`] limits a connection to one
//!   tree, and [`hidden_rows`] are the chunks that it must not see.
//! - [`write_batch`] replaces files, with [`symbols`] and [`interner`], from what [`crate::index::prepared_file`] computed
//!   before.

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
