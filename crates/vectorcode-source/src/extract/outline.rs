//! The outline of a file: the pieces that could each be a chunk, in file order, nested by their bytes.
//!
//! It is all that the chunker knows of a file's structure, so that syntax trees, Markdown headings and keys of
//! a configuration are chunked by one algorithm.

use std::ops::Range;

/// One piece of the outline.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'t> {
    /// From its first comment, attribute or decorator to its end.
    pub bytes: Range<usize>,
    /// The syntax node's kind.
    pub kind: &'t str,
    /// Index of what it defines.
    pub definition: Option<u32>,
    /// What it is called when it defines nothing: the type of an `impl` block.
    pub label: Option<&'t str>,
    /// Where its signature begins, after comments and decorators.
    pub head: usize,
    /// Where its body begins, if it has one.
    pub body: Option<usize>,
    pub role: EntryRole,
    /// Marked as a test where it is written.
    pub is_test: bool,
}

impl Entry<'_> {
    /// Whether it defines something or stands in the file as a piece of its own right.
    pub fn is_named(&self) -> bool {
        self.definition.is_some() || self.label.is_some() || self.role == EntryRole::Item
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryRole {
    /// Deserves a chunk of its own when its size allows it.
    Item,
    /// An import: sits with other imports.
    Import,
    /// A statement at the top of a file: sits with its neighbours.
    Loose,
}
