//! Chooses the lines of a long result to show: its start, unless the words of the query are elsewhere in it.

use std::ops::Range;

use vectorcode_core::words;

/// A later part must contain this many more query words than the start, which has the name of the code and therefore tells
/// more.
const MARGIN: usize = 2;
/// Shorter words ("of", "the") occur everywhere.
const MIN_WORD_CHARS: usize = 4;

/// The words of a query that are worth looking for, in lower case.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueryWords(Vec<String>);

impl QueryWords {
    pub(crate) fn of(query: &str) -> Self {
        let mut found: Vec<String> = Vec::new();
        words::for_each_word(query, |word| {
            if word.len() >= MIN_WORD_CHARS {
                found.push(word.to_lowercase());
            }
        });
        found.sort_unstable();
        found.dedup();
        Self(found)
    }

    /// The range of the best `count` lines of `content`, counted from 0.
    pub(super) fn window(&self, content: &str, count: usize) -> Range<usize> {
        let lines: Vec<String> = content.trim_end().lines().map(str::to_lowercase).collect();
        if lines.len() <= count || self.0.is_empty() {
            return 0..lines.len().min(count);
        }
        let held = |start: usize| {
            let window = &lines[start..start + count];
            self.0.iter().filter(|word| window.iter().any(|line| line.contains(word.as_str()))).count()
        };
        let at_start = held(0);
        let windows: Vec<usize> = (0..=lines.len() - count).map(held).collect();
        let most = windows.iter().copied().max().unwrap_or(at_start);
        if most < at_start + MARGIN {
            return 0..count;
        }
        let best: Vec<usize> = (0..windows.len()).filter(|start| windows[*start] == most).collect();
        // The middle one of equal windows, so that there are lines before and after the words.
        let start = best[best.len() / 2];
        start..start + count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_shown_unless_the_words_are_elsewhere() {
        let body: Vec<String> = (0..60).map(|line| format!("    step_{line}();")).collect();
        let mut lines = body.clone();
        lines[40] = "    retry the failed payment with backoff".into();
        let words = QueryWords::of("how is a failed payment retried with backoff");
        assert_eq!(words.window(&body.join("\n"), 25), 0..25);
        let shown = words.window(&lines.join("\n"), 25);
        assert!(shown.contains(&40) && shown.len() == 25, "{shown:?}");
        assert_eq!(words.window("one\ntwo\n", 25), 0..2);
    }
}
