//! Who imports whom, who calls whom.
//!
//! Facts in, edges out: the crate is given what the index knows of each file (imports, definitions, uses of names) and
//! derives the edges when they are asked for. Nothing derived is stored, so there is nothing to repair after an edit.

pub mod ask;
mod cluster;
mod cycles;
pub mod diagram;
mod draft;
mod facts;
mod files;
mod resolve;
mod symbols;
mod tree;
mod walk;

pub use cluster::collapse;
pub use facts::{Defined, Facts, SymbolId, Used};
pub use files::{FileEdge, FileGraph};
pub use resolve::{Import, Target, resolve};
pub use symbols::{Place, SymbolEdge, Symbols};
pub use tree::{FileId, Tree, TreeFile};
