//! A piece is an unfinished chunk: a range of lines, and the outline entries that give its name and context.

use std::ops::Range;

use vectorcode_core::LONG_LINE_KIND;

use crate::lines::Lines;

#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub lines: Range<usize>,
    /// Byte range, when the piece is cut by bytes: text without usable lines, or a line larger than a chunk.
    pub cut: Option<Range<usize>>,
    /// The outline entry that gives the symbol and the kind.
    pub owner: Option<usize>,
    /// Size of the owner's part. A merged piece is named after the owner with the largest part.
    pub weight: usize,
    /// The outline entry whose signature is the parent context.
    pub context: Option<usize>,
    /// The kind of a piece without an owner.
    pub fallback_kind: &'static str,
}

impl Piece {
    pub fn of_lines(
        lines: Range<usize>,
        owner: Option<usize>,
        context: Option<usize>,
        weight: usize,
    ) -> Self {
        Self { lines, cut: None, owner, weight, context, fallback_kind: "comment" }
    }

    pub fn of_bytes(text: &Lines<'_>, bytes: Range<usize>) -> Self {
        let lines = text.touched(&bytes);
        let weight = bytes.len();
        Self { lines, cut: Some(bytes), owner: None, weight, context: None, fallback_kind: "block" }
    }

    /// A part of a line that is larger than a chunk. It gets no name, because it rarely contains the name of the enclosing
    /// item.
    pub fn of_long_line(text: &Lines<'_>, bytes: Range<usize>) -> Self {
        Self { fallback_kind: LONG_LINE_KIND, ..Self::of_bytes(text, bytes) }
    }

    /// Whether it is text between items that belongs to no outline entry.
    pub fn is_comment(&self) -> bool {
        self.owner.is_none() && self.cut.is_none()
    }

    pub fn window(lines: Range<usize>) -> Self {
        Self { fallback_kind: "window", ..Self::of_lines(lines, None, None, 0) }
    }

    pub fn bytes(&self, text: &Lines<'_>) -> Range<usize> {
        self.cut.clone().unwrap_or_else(|| {
            let start = text.start(self.lines.start);
            start..start + text.len(&self.lines)
        })
    }

    pub fn len(&self, text: &Lines<'_>) -> usize {
        self.cut.as_ref().map_or_else(|| text.len(&self.lines), Range::len)
    }

    /// The combined lines of both pieces. `None` when one of them is cut by bytes.
    pub fn union(&self, other: &Self) -> Option<Range<usize>> {
        let whole = self.cut.is_none() && other.cut.is_none();
        whole.then(|| self.lines.start.min(other.lines.start)..self.lines.end.max(other.lines.end))
    }

    /// Merges a neighbour into this piece. The one with the larger weight gives the name.
    pub fn absorb(&mut self, other: Self, lines: Range<usize>) {
        if other.weight > self.weight || (self.owner.is_none() && other.owner.is_some()) {
            *self = other;
        }
        self.lines = lines;
    }
}
