//! The lines of a text: where each line starts, its indentation, and whether it is blank.

use std::ops::Range;

use vectorcode_core::Span;

/// A text and the offsets of its lines. Line numbers are 0-based here and 1-based in a [`Span`].
pub(crate) struct Lines<'t> {
    pub text: &'t str,
    /// Byte offset of the start of each line, followed by the length of the text.
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

    /// A line without its line ending.
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

    /// Length in bytes of a chunk made of these lines, without the line ending of the last one.
    pub fn len(&self, lines: &Range<usize>) -> usize {
        if lines.is_empty() {
            return 0;
        }
        self.start(lines.end - 1) + self.line(lines.end - 1).len() - self.start(lines.start)
    }

    /// The same lines without leading and trailing blank lines. `None` when all lines are blank.
    pub fn trim(&self, lines: Range<usize>) -> Option<Range<usize>> {
        let first = lines.clone().find(|line| !self.is_blank(*line))?;
        let last = lines.rev().find(|line| !self.is_blank(*line))?;
        Some(first..last + 1)
    }

    /// The line that contains a byte offset.
    pub fn line_of(&self, byte: usize) -> usize {
        self.starts
            .partition_point(|start| *start as usize <= byte)
            .saturating_sub(1)
            .min(self.count().saturating_sub(1))
    }

    /// The lines that a byte range overlaps.
    pub fn touched(&self, bytes: &Range<usize>) -> Range<usize> {
        self.line_of(bytes.start)..self.line_of(bytes.end.saturating_sub(1).max(bytes.start)) + 1
    }

    /// The span of a byte range.
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
