//! What only the SQLite backend has: its file, damage to it, its lock files, its schemas, processes that are killed,
//! and work trees that share it.

mod cache;
mod checkouts;
mod damage;
mod hostile;
mod locking;
mod prepared;
mod schema;
mod trees;
