//! The lines of a text: where each begins, how far it is indented, whether it says anything.

use std::ops::Range;

use vectorcode_core::Span;

/// A text with its line starts. Lines count from 0 here and from 1 in a [`Span`].
pub(crate) struct Lines<'t> {
    pub text: &'t str,
    /// Where each line begins, and the text's end.
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 2);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        if starts.last().is_some_and(|last| (*last as usize) < text.len()) {
            starts.push(text.len() as u32);
        }
        Self { text, starts }
    }

    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn all(&self) -> Range<usize> {
        0..self.count()
    }

    pub fn start(&self, line: usize) -> usize {
        self.starts[line.min(self.count())] as usize
    }

    /// A line without its end.
    pub fn line(&self, line: usize) -> &'t str {
        self.text[self.start(line)..self.start(line + 1)].trim_end_matches(['\n', '\r'])
    }

    pub fn is_blank(&self, line: usize) -> bool {
        self.line(line).trim().is_empty()
    }

    pub fn indent(&self, line: usize) -> usize {
        let line = self.line(line);
        line.len() - line.trim_start().len()
    }

    /// How many bytes some lines have as a chunk, without the last line's end.
    pub fn len(&self, lines: &Range<usize>) -> usize {
        if lines.is_empty() {
            return 0;
        }
        self.start(lines.end - 1) + self.line(lines.end - 1).len() - self.start(lines.start)
    }

    /// The same lines without blank ones at either end; `None` when all are blank.
    pub fn trim(&self, lines: Range<usize>) -> Option<Range<usize>> {
        let first = lines.clone().find(|line| !self.is_blank(*line))?;
        let last = lines.rev().find(|line| !self.is_blank(*line))?;
        Some(first..last + 1)
    }

    /// The line that holds a byte.
    pub fn line_of(&self, byte: usize) -> usize {
        self.starts
            .partition_point(|start| *start as usize <= byte)
            .saturating_sub(1)
            .min(self.count().saturating_sub(1))
    }

    /// The lines that a range of bytes touches.
    pub fn touched(&self, bytes: &Range<usize>) -> Range<usize> {
        self.line_of(bytes.start)..self.line_of(bytes.end.saturating_sub(1).max(bytes.start)) + 1
    }

    /// The span of a range of bytes.
    pub fn span(&self, bytes: &Range<usize>) -> Span {
        let lines = self.touched(bytes);
        Span {
            start_line: lines.start as u32 + 1,
            end_line: lines.end as u32,
            byte_start: bytes.start as u32,
            byte_end: bytes.end as u32,
        }
    }
}
