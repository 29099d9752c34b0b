//! Finds definitions, references, imports and the outline for chunking in a single walk over the syntax tree.
//!
//! The walk is a loop over a cursor, not a recursion, so a very deep tree cannot overflow the stack.

mod define;
mod fields;
mod headings;
mod local;
mod outline;
mod parts;
mod refer;
mod scope;
mod signature;
mod uses;
mod walk;
mod wanted_names;

use vectorcode_core::{Definition, Import, Reference};

pub(crate) use headings::headings;
pub(crate) use outline::{Entry, EntryRole};
pub(crate) use parts::{ExtractedParts, extract_parts, imports_of_text};
pub(crate) use signature::signature;
pub(crate) use walk::extract;

/// Everything extracted from the structure of a file.
#[derive(Default)]
pub(crate) struct Extracted {
    pub definitions: Vec<Definition>,
    pub references: Vec<Reference>,
    pub imports: Vec<Import>,
    /// In file order. A nested entry follows the entry that contains it.
    pub outline: Vec<Entry>,
}
