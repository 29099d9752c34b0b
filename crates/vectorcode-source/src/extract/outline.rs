//! The outline of a file: the parts that can become chunks, in file order, nested by their byte ranges.
//!
//! The chunker knows nothing else about the structure of a file, so one algorithm can chunk syntax trees, Markdown headings
//! and configuration keys.

use std::ops::Range;

/// An entry of the outline.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// From its first comment, attribute or decorator to the end of the node.
    pub bytes: Range<usize>,
    /// The kind of its syntax node.
    pub kind: &'static str,
    /// The kinds of the nodes around it that belong to it: `export_statement`, `decorated_definition`.
    pub wrappers: [Option<&'static str>; 2],
    /// Index of its definition, if it has one.
    pub definition: Option<u32>,
    /// Where the name of an entry without a definition is, such as the type of an `impl` block. It is a range instead of a
    /// string slice so that the entries of several syntax trees can be combined after the trees are freed.
    pub label: Option<Range<usize>>,
    /// Start of its signature, after comments and decorators.
    pub head: usize,
    /// Start of its body, if it has one.
    pub body: Option<usize>,
    pub role: EntryRole,
    /// Whether the source marks it, or a scope around it, as a test.
    pub is_test: bool,
}

impl Entry {
    /// Whether it has a definition or a label, or is an item.
    pub fn is_named(&self) -> bool {
        self.definition.is_some() || self.label.is_some() || self.role == EntryRole::Item
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryRole {
    /// Gets its own chunk if its size allows it.
    Item,
    /// An import. Grouped with other imports.
    Import,
    /// A statement at the top level of a file. Grouped with its neighbours.
    Loose,
}
