//! Finds the lines in which two texts differ.

use std::collections::BTreeSet;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use vectorcode_core::Span;

/// Which lines of the new text are new, and between which lines some were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedLines {
    pub added: u32,
    pub removed: u32,
    /// Counted from 1.
    pub lines: BTreeSet<u32>,
    /// The line before each gap; 0 at the beginning.
    pub gaps: BTreeSet<u32>,
}

impl ChangedLines {
    pub fn between(old: &str, new: &str) -> Self {
        Self::on_both_sides(old, new).1
    }

    /// The lines of the old text that the new one does not have, and the other way round.
    pub fn on_both_sides(old: &str, new: &str) -> (Self, Self) {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let (mut before, mut after) = (Self::default(), Self::default());
        for operation in capture_diff_slices(Algorithm::Histogram, &old, &new) {
            if !matches!(operation, DiffOp::Equal { .. }) {
                before.add(operation.new_range().len(), operation.old_range());
                after.add(operation.old_range().len(), operation.new_range());
            }
        }
        (before, after)
    }

    fn add(&mut self, removed: usize, added: Range<usize>) {
        self.removed += removed as u32;
        self.added += added.len() as u32;
        if added.is_empty() {
            self.gaps.insert(added.start as u32);
        }
        self.lines.extend(added.map(|line| line as u32 + 1));
    }

    /// Whether a span has changed lines. A gap at its edge does not count: the removed lines were outside.
    pub fn are_in(&self, span: &Span) -> bool {
        let (start, end) = (span.start_line, span.end_line);
        self.lines.range(start..=end).next().is_some() || self.gaps.range(start..end).next().is_some()
    }
}
