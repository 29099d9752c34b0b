//! What the graph of symbols is made from: the definitions and uses of names that the index holds.

use std::rc::Rc;

use vectorcode_core::{Definition, Reference};

use crate::tree::FileId;

/// A definition, by its file and its place among the definitions of that file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId {
    pub file: FileId,
    pub ordinal: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    pub id: SymbolId,
    pub definition: Definition,
    pub is_test: bool,
}

/// A use of a name, and the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    pub file: FileId,
    pub reference: Reference,
}

/// Where facts come from. The same is asked many times in one question: whoever answers should remember.
pub trait Facts {
    type Error;

    /// The definitions of exactly this bare name, in the order of their places.
    fn definitions_named(&self, name: &str) -> Result<Rc<[Defined]>, Self::Error>;
    /// The definitions of a file; [`SymbolId::ordinal`] is the place in this list.
    fn definitions_of(&self, file: FileId) -> Result<Rc<[Defined]>, Self::Error>;
    fn references_named(&self, name: &str) -> Result<Rc<[Used]>, Self::Error>;
    fn references_of(&self, file: FileId) -> Result<Rc<[Reference]>, Self::Error>;
}
