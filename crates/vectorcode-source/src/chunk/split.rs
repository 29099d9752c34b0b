//! Splits a large piece that has no structure of its own, such as a long function or a large table.
//!
//! In every language that is written with indentation, statements start at the least indented lines of their block. So the
//! best positions to split are found without the syntax tree, and even in code with syntax errors.

use std::ops::Range;

use super::cut::cut;
use super::piece::Piece;
use super::{MAX_BYTES, OVERLAP_BYTES, SPLIT_BYTES};
use crate::lines::Lines;

/// The outline entries that give the parts their name and parent context.
#[derive(Clone, Copy)]
pub(super) struct Naming {
    pub owner: Option<usize>,
    /// Parent context of the first part.
    pub first_context: Option<usize>,
    /// Parent context of the other parts.
    pub rest_context: Option<usize>,
}

/// Splits into parts of about [`SPLIT_BYTES`]. Each part repeats the last lines of the previous one.
pub(super) fn split(text: &Lines<'_>, lines: Range<usize>, naming: Naming) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = text.trim(lines);
    while let Some(open) = rest {
        let context = if pieces.is_empty() { naming.first_context } else { naming.rest_context };
        if text.line(open.start).len() > MAX_BYTES {
            let bytes = text.start(open.start)..text.start(open.start) + text.line(open.start).len();
            let parts = cut(text.text, bytes).into_iter().map(|part| Piece::of_long_line(text, part));
            pieces.extend(parts.map(|part| Piece { context, ..part }));
            rest = text.trim(open.start + 1..open.end);
            continue;
        }
        let end = part_end(text, &open);
        let repeated = if pieces.is_empty() { 0 } else { overlap(text, open.start, end) };
        let part = text.trim(open.start..end).unwrap_or(open.start..end);
        let weight = text.len(&part);
        pieces.push(Piece::of_lines(part.start - repeated..part.end, naming.owner, context, weight));
        rest = text.trim(end..open.end);
    }
    pieces
}

/// End of the part that starts at `open.start`: the line with the lowest cost as the start of the next part.
fn part_end(text: &Lines<'_>, open: &Range<usize>) -> usize {
    let total = text.len(open);
    if total <= SPLIT_BYTES {
        return open.end;
    }
    let target = total / total.div_ceil(SPLIT_BYTES);
    let fits = |line: &usize| text.len(&(open.start..*line)) <= SPLIT_BYTES;
    let candidates = (open.start + 1..open.end).take_while(fits);
    let best = candidates
        .filter(|line| !text.is_blank(*line))
        .min_by_key(|line| split_cost(text, *line, text.len(&(open.start..*line)), target));
    best.unwrap_or(open.start + 1)
}

/// Cost of starting a part at this line. It is high for indented code and closing braces, which belong to the
/// lines above.
fn split_cost(text: &Lines<'_>, line: usize, size: usize, target: usize) -> usize {
    let content = text.line(line).trim_start();
    let closes = content.starts_with(['}', ')', ']'])
        || ["end", "else", "elif", "except", "finally", "catch"].iter().any(|word| content.starts_with(word));
    let after_blank = text.is_blank(line - 1);
    text.indent(line) * 20
        + usize::from(closes) * 400
        + usize::from(!after_blank) * 40
        + size.abs_diff(target) / 4
}

/// Number of whole lines before `start` that the part from `start` to `end` can repeat.
fn overlap(text: &Lines<'_>, start: usize, end: usize) -> usize {
    let fits = |count: &usize| {
        let repeated = start - count..start;
        text.len(&repeated) <= OVERLAP_BYTES && text.len(&(repeated.start..end)) <= MAX_BYTES
    };
    (1..=start.min(8)).take_while(fits).last().unwrap_or(0)
}
