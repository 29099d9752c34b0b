//! Tests that only concern the SQLite backend: its file and damage to it, lock files, schemas, killed processes, and worktrees
//! that share an index.

mod cache;
mod checkouts;
mod damage;
mod hostile;
mod locking;
mod prepared;
mod schema;
mod trees;
