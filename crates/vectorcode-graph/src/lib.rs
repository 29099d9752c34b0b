//! The import and call graph of a project.
//!
//! The input is what the index has for each file: imports, definitions, references. Edges are derived from that on demand and
//! never stored, so there is nothing to update after an edit.

mod cluster;
mod cycles;
pub mod diagram;
mod facts;
mod files;
pub mod queries;
mod resolve;
mod response_builder;
mod symbols;
mod tree;
mod walk;

pub use cluster::collapse;
pub use facts::{Facts, SymbolDefinition, SymbolId, SymbolUse};
pub use files::{FileEdge, FileGraph};
pub use resolve::{Import, Target, resolve};
pub use symbols::{Node, Subtype, SymbolEdge, Symbols};
pub use tree::{FileId, Tree, TreeFile};
pub use walk::within;
