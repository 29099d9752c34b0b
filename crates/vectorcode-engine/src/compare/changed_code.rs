//! The code in one of two versions that the other version does not have.

use std::collections::BTreeMap;

use vectorcode_core::Span;

use super::{ChangedLines, ComparedFile};

/// Changed lines by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedCode(BTreeMap<String, ChangedLines>);

impl ChangedCode {
    /// The changed code of the older version, and that of the newer one.
    pub fn of(files: &[ComparedFile]) -> (Self, Self) {
        let (mut before, mut after) = (Self::default(), Self::default());
        for file in files {
            let (old, new) = ChangedLines::on_both_sides(file.old_text(), file.new_text());
            if file.old.is_some() {
                before.0.insert(file.before().to_owned(), old);
            }
            if file.new.is_some() {
                after.0.insert(file.path.clone(), new);
            }
        }
        (before, after)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether this span of a file has changes.
    pub fn is_in(&self, path: &str, span: &Span) -> bool {
        self.0.get(path).is_some_and(|lines| lines.are_in(span))
    }

    /// The lines of a range that the other version does not have.
    pub fn lines(&self, path: &str, first: u32, last: u32) -> Vec<u32> {
        self.0.get(path).map_or_else(Vec::new, |lines| lines.lines.range(first..=last).copied().collect())
    }
}
