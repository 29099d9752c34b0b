//! Finds the lines in which two texts differ.

use std::collections::BTreeSet;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
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
        let mut input = InternedInput::default();
        input.update_before(old.lines());
        input.update_after(new.lines());
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        // Moves ambiguous hunks to where git shows them.
        diff.postprocess_lines(&input);
        let (mut before, mut after) = (Self::default(), Self::default());
        for hunk in diff.hunks() {
            before.add(hunk.after.clone(), hunk.before.clone());
            after.add(hunk.before, hunk.after);
        }
        (before, after)
    }

    fn add(&mut self, removed: Range<u32>, added: Range<u32>) {
        self.removed += removed.len() as u32;
        self.added += added.len() as u32;
        if added.is_empty() {
            self.gaps.insert(added.start);
        }
        self.lines.extend(added.map(|line| line + 1));
    }

    /// Whether a span has changed lines. A gap at its edge does not count: the removed lines were outside.
    pub fn are_in(&self, span: &Span) -> bool {
        let (start, end) = (span.start_line, span.end_line);
        self.lines.range(start..=end).next().is_some() || self.gaps.range(start..end).next().is_some()
    }
}
