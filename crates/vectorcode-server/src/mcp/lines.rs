//! Reads lines of bounded length from a stream; cancel-safe between any two bytes.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// What was read from the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Without its line break. The last line of a stream needs none.
    Whole(Vec<u8>),
    /// Longer than the limit, and dropped.
    TooLong,
    /// The stream has ended or failed.
    End,
}

#[derive(Debug)]
pub(crate) struct LineReader<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    limit: usize,
    /// The rest of a line that was too long has not been read yet.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(input: R, limit: usize) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), limit, skipping: false }
    }

    /// Waits for a line. All state is in `self`, so if a call is dropped half-way, the next one continues from there.
    pub(crate) async fn next(&mut self) -> Line {
        loop {
            let Ok(available) = self.input.fill_buf().await else { return Line::End };
            if available.is_empty() {
                return self.last_line();
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = &available[..end.unwrap_or(available.len())];
            let used = taken.len() + usize::from(end.is_some());
            let was_skipping = self.skipping;
            let too_long = !was_skipping && self.line.len() + taken.len() > self.limit;
            if !was_skipping && !too_long {
                self.line.extend_from_slice(taken);
            }
            self.input.consume(used);
            self.skipping = end.is_none() && (was_skipping || too_long);
            if too_long {
                self.line = Vec::new();
                return Line::TooLong;
            }
            if end.is_some() && !was_skipping {
                return Line::Whole(std::mem::take(&mut self.line));
            }
        }
    }

    fn last_line(&mut self) -> Line {
        if self.line.is_empty() { Line::End } else { Line::Whole(std::mem::take(&mut self.line)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(input: &str, limit: usize) -> Vec<Line> {
        let mut reader = LineReader::new(input.as_bytes(), limit);
        let mut lines = Vec::new();
        loop {
            match reader.next().await {
                Line::End => return lines,
                line => lines.push(line),
            }
        }
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_come_one_by_one_and_the_last_needs_no_break() {
        assert_eq!(lines("a\n\nbc", 10).await, [whole("a"), whole(""), whole("bc")]);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_dropped_whole() {
        let long = "x".repeat(100_000);
        let input = format!("a\n{long}\nb\n");
        assert_eq!(lines(&input, 50_000).await, [whole("a"), Line::TooLong, whole("b")]);
        assert_eq!(lines("abc\nd\n", 2).await, [Line::TooLong, whole("d")]);
    }
}
