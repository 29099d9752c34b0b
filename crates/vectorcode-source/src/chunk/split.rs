//! Splits a large piece that has no structure of its own: a long function, a huge table.
//!
//! Statements of a block begin at its least indented lines, in every language that people indent; so the best
//! places to split are found without looking at the tree, inside broken regions too.

use std::ops::Range;

use super::cut::cut;
use super::piece::Piece;
use super::{MAX_BYTES, OVERLAP_BYTES, SPLIT_BYTES};
use crate::lines::Lines;

/// Whom the parts are named after.
#[derive(Clone, Copy)]
pub(super) struct Naming {
    pub owner: Option<usize>,
    /// The parent context of the first part.
    pub first_context: Option<usize>,
    /// The parent context of the others.
    pub rest_context: Option<usize>,
}

/// Parts of about [`SPLIT_BYTES`], each repeating the last lines of the one before.
pub(super) fn split(text: &Lines<'_>, lines: Range<usize>, naming: Naming) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = text.trim(lines);
    while let Some(open) = rest {
        let context = if pieces.is_empty() { naming.first_context } else { naming.rest_context };
        if text.line(open.start).len() > MAX_BYTES {
            let bytes = text.start(open.start)..text.start(open.start) + text.line(open.start).len();
            let parts = cut(text.text, bytes).into_iter().map(|part| Piece::of_bytes(text, part));
            pieces.extend(parts.map(|part| Piece { owner: naming.owner, context, ..part }));
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

/// Where the part that begins with `open` ends: the cheapest line to begin another part with.
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

/// How bad it is to begin a part with this line: indented code and closing braces belong to what is above.
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

/// How many whole lines before `start` the next part can repeat.
fn overlap(text: &Lines<'_>, start: usize, end: usize) -> usize {
    let fits = |count: &usize| {
        let repeated = start - count..start;
        text.len(&repeated) <= OVERLAP_BYTES && text.len(&(repeated.start..end)) <= MAX_BYTES
    };
    (1..=start.min(8)).take_while(fits).last().unwrap_or(0)
}
