//! One walk over a syntax tree that finds definitions, references, imports and the outline for chunking.
//!
//! The walk is a loop over a cursor: a tree as deep as its file is long costs no stack.

mod define;
mod headings;
mod local;
mod outline;
mod refer;
mod scope;
mod signature;
mod walk;

use vectorcode_core::{Definition, Import, Reference};

pub(crate) use headings::headings;
pub(crate) use outline::{Entry, EntryRole};
pub(crate) use signature::signature;
pub(crate) use walk::extract;

/// What a file's structure yields.
#[derive(Default)]
pub(crate) struct Extracted<'t> {
    pub definitions: Vec<Definition>,
    pub references: Vec<Reference>,
    pub imports: Vec<Import>,
    /// In file order; one that lies inside another follows it.
    pub outline: Vec<Entry<'t>>,
}
