//! Cuts text without usable lines, such as minified code or data, at safe positions.

use std::ops::Range;

use super::MAX_BYTES;

/// Number of bytes before the limit in which to look for a good position to cut.
const SEARCH_BYTES: usize = 400;

/// Ranges of at most [`MAX_BYTES`] that together contain all text except whitespace.
pub(super) fn cut(text: &str, bytes: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = bytes.start;
    while start < bytes.end {
        let end = cut_end(&text[..bytes.end], start);
        let part = &text[start..end];
        let left = part.len() - part.trim_start().len();
        let kept = part.trim().len();
        if kept > 0 {
            parts.push(start + left..start + left + kept);
        }
        start = end;
    }
    parts
}

/// End of the part that starts at `start`. Prefers the position after a closing character or space near the limit.
fn cut_end(text: &str, start: usize) -> usize {
    if text.len() - start <= MAX_BYTES {
        return text.len();
    }
    let limit = text.floor_char_boundary(start + MAX_BYTES);
    let nearby = text.floor_char_boundary(limit - SEARCH_BYTES);
    let tail = &text[nearby..limit];
    let best = tail.rfind(['\n', ';', '}']).or_else(|| tail.rfind([',', ' ', '>', ')']));
    best.map_or(limit, |at| nearby + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefers_the_end_of_a_statement() {
        let text = "let x=1;".repeat(600);
        let parts = cut(&text, 0..text.len());
        assert!(parts.len() > 1);
        assert!(parts.iter().all(|part| part.len() <= MAX_BYTES && text[part.clone()].ends_with(';')));
        assert_eq!(parts.iter().map(Range::len).sum::<usize>(), text.len());
    }

    #[test]
    fn never_splits_a_character() {
        let text = "é".repeat(3000);
        let parts = cut(&text, 0..text.len());
        assert_eq!(parts.iter().map(|part| text[part.clone()].chars().count()).sum::<usize>(), 3000);
    }
}
