//! The PostgreSQL backend: the indexes of many projects in one database, shared by many processes and machines.
//!
//! Every table has the project's key first and no foreign keys, so that the database can be distributed by it. A project
//! has a manifest for each checkout: its files, chunks, posting lists and codes. Texts and vectors are stored once a project,
//! under a hash of their content, and shared by its manifests.
//!
//! - [`address`] reads the URL; [`session`] is one connection, [`pool`] those of a process; [`error`] names failures.
//! - [`store`] is the entry; [`locks`] are advisory locks, which a server releases with the connection of their holder.
//! - [`manifest`] finds the manifest of a checkout and its generation; [`schema`] makes the tables.
//! - [`reader`] and [`writer`] are the two halves of the contract. [`view`] is what a reader keeps in memory of one
//!   generation; [`candidates`] answers a search with it, [`definitions`] looks up names.
//! - [`write_batch`] replaces files, with the [`columns`] of each table; [`segments`] and [`codes`] write their full text and
//!   vectors; [`commits`] the git history. [`trees`] are commits that were asked about.
//!
//! Formats that both backends store (posting lists, blocks of codes, commits) and what is computed from them (BM25, the
//! scan, filters) are those of [`crate::index`]. Ranking is the engine's, so that both backends rank alike.

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
