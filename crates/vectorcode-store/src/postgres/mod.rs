//! The PostgreSQL backend: the indexes of many projects in one database, shared by many processes and machines.
//!
//! The project's key is the first column of every table and there are no foreign keys, so that the database can be sharded by
//! project. A project has a manifest for each checkout: its files, chunks, posting lists and codes. Texts and vectors are stored
//! once per project, keyed by a hash of their content, and shared by its manifests.
//!
//! - [`address`] parses the URL; [`session`] is one connection, [`pool`] has the connections of a process; [`error`] classifies
//!   failures.
//! - [`store`] is the entry point; [`locks`] are advisory locks, which the server releases when the connection of their holder
//!   ends.
//! - [`manifest`] finds the manifest of a checkout and its generation; [`schema`] creates the tables.
//! - [`reader`] and [`writer`] implement the contract. [`view`] is what a reader caches of one generation; [`candidates`] uses it
//!   to answer a search, [`definitions`] looks up names.
//! - [`write_batch`] replaces files, with the [`columns`] of each table; [`segments`] and [`codes`] write their full text and
//!   vectors; [`commits`] writes the git history. [`trees`] are indexed commits.
//!
//! The formats that both backends store (posting lists, blocks of codes, commits) and what is computed from them (BM25, the scan,
//! filters) are in [`crate::index`]. Ranking is done by the engine, so both backends rank alike.

mod address;
mod candidates;
mod codes;
mod columns;
mod commits;
mod definitions;
mod error;
mod locks;
mod manifest;
mod pool;
mod reader;
mod rows;
mod schema;
mod segments;
mod session;
mod store;
mod trees;
mod view;
mod write_batch;
mod writer;

pub use store::{PostgresStore, ProjectKey};
