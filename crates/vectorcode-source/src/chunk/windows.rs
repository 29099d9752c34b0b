//! Splits text without structure into windows of lines.

use super::cut::cut;
use super::piece::Piece;
use super::{MAX_BYTES, OVERLAP_BYTES};
use crate::lines::Lines;

const WINDOW_LINES: usize = 50;
const OVERLAP_LINES: usize = 10;

/// Windows of 50 lines, each repeating the last 10 lines of the previous one. Both are fewer when lines are long.
pub(crate) fn windows(lines: &Lines<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let Some(mut rest) = lines.trim(lines.all()) else { return pieces };
    while !rest.is_empty() {
        let end = window_end(lines, rest.start, rest.end);
        if end == rest.start {
            let long = lines.start(end)..lines.start(end) + lines.line(end).len();
            pieces.extend(cut(lines.text, long).into_iter().map(|bytes| Piece::of_long_line(lines, bytes)));
            rest.start += 1;
        } else {
            pieces.extend(lines.trim(rest.start..end).map(Piece::window));
            let repeat = if end < rest.end { overlap(lines, rest.start, end) } else { 0 };
            rest.start = end - repeat;
        }
        rest = lines.trim(rest).unwrap_or(0..0);
    }
    pieces
}

/// End of the window that starts at `start`. Returns `start` when its first line alone is too large.
fn window_end(lines: &Lines<'_>, start: usize, limit: usize) -> usize {
    let limit = limit.min(start + WINDOW_LINES);
    (start..limit).find(|line| lines.len(&(start..line + 1)) > MAX_BYTES).unwrap_or(limit)
}

/// Number of lines that the next window repeats: at most a fifth of this window.
fn overlap(lines: &Lines<'_>, start: usize, end: usize) -> usize {
    let most = OVERLAP_LINES.min((end - start) / 5);
    (0..=most).rev().find(|count| lines.len(&(end - count..end)) <= 4 * OVERLAP_BYTES).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_lines_with_ten_repeated() {
        let text = "a line\n".repeat(120);
        let found: Vec<_> = windows(&Lines::new(&text)).into_iter().map(|piece| piece.lines).collect();
        assert_eq!(found, [0..50, 40..90, 80..120]);
    }

    #[test]
    fn long_lines_make_shorter_windows() {
        let text = format!("{}\n", "word ".repeat(60)).repeat(20);
        let lines = Lines::new(&text);
        assert!(windows(&lines).iter().all(|piece| piece.len(&lines) <= MAX_BYTES));
    }
}
