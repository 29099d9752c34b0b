//! A chunk in the making: an extent, and the outline entries that it is named after.

use std::ops::Range;

use crate::lines::Lines;

#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub lines: Range<usize>,
    /// Part of a single line that is larger than a chunk.
    pub cut: Option<Range<usize>>,
    /// The entry that gives symbol and kind.
    pub owner: Option<usize>,
    /// How much of the piece its owner is; the heaviest gives a merged piece its name.
    pub weight: usize,
    /// The entry whose signature is the parent context.
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

    /// Whether it is text between items that no entry of the outline owns.
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

    /// The lines of both; `None` when one is part of a line.
    pub fn union(&self, other: &Self) -> Option<Range<usize>> {
        let whole = self.cut.is_none() && other.cut.is_none();
        whole.then(|| self.lines.start.min(other.lines.start)..self.lines.end.max(other.lines.end))
    }

    /// Takes in a neighbour. The heavier of the two gives the name.
    pub fn absorb(&mut self, other: Self, lines: Range<usize>) {
        if other.weight > self.weight || (self.owner.is_none() && other.owner.is_some()) {
            *self = other;
        }
        self.lines = lines;
    }
}
