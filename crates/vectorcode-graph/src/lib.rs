//! Who imports whom, who calls whom.
//!
//! Facts in, edges out: the crate is given what the index knows of each file (imports, definitions, uses of names) and
//! derives the edges when they are asked for. Nothing derived is stored, so there is nothing to repair after an edit.

mod resolve;
mod tree;

pub use resolve::{Import, Target, resolve};
pub use tree::{FileId, Tree, TreeFile};
