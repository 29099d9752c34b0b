//! The input of the symbol graph: definitions and references from the index.

use std::rc::Rc;

use vectorcode_core::{Definition, Reference};

use crate::tree::FileId;

/// Identifies a definition by its file and its position among the definitions of that file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId {
    pub file: FileId,
    pub ordinal: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolDefinition {
    pub id: SymbolId,
    pub definition: Definition,
    pub is_test: bool,
}

/// A reference to a name, with the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolUse {
    pub file: FileId,
    pub reference: Reference,
}

/// Access to the indexed facts. One query requests the same facts many times, so implementations should cache them.
pub trait Facts {
    type Error;

    /// Announces that the definitions of all these names will be requested, so that they can be read in one call.
    fn prefetch_definitions(&self, _names: &[&str]) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Announces that the references to all these names will be requested.
    fn prefetch_references(&self, _names: &[&str]) -> Result<(), Self::Error> {
        Ok(())
    }

    /// The definitions with exactly this unqualified name, by file and position.
    fn definitions_named(&self, name: &str) -> Result<Rc<[SymbolDefinition]>, Self::Error>;
    /// The definitions of a file; [`SymbolId::ordinal`] is the index in this list.
    fn definitions_of(&self, file: FileId) -> Result<Rc<[SymbolDefinition]>, Self::Error>;
    fn references_named(&self, name: &str) -> Result<Rc<[SymbolUse]>, Self::Error>;
    fn references_of(&self, file: FileId) -> Result<Rc<[Reference]>, Self::Error>;
}
