//! The lines of a hit that a terminal shows, with syntax colors and the words of the query highlighted.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use vectorcode_core::{Markup, TokenClass, visible_text};

use super::style::{self, painted};

/// A hit's text, line by line.
pub struct Excerpt<'h> {
    text: &'h str,
    markup: &'h Markup,
    /// Without their ends.
    lines: Vec<Range<usize>>,
}

impl<'h> Excerpt<'h> {
    pub fn new(text: &'h str, markup: &'h Markup) -> Self {
        let mut start = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let begin = start;
            start += line.len();
            begin..begin + line.trim_end_matches(['\n', '\r']).len()
        });
        Self { text, markup, lines: lines.collect() }
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// The `length` consecutive lines with the most matches; the first lines if nothing matches.
    pub fn best_window(&self, length: usize) -> Range<usize> {
        let length = length.min(self.lines.len());
        let counts: Vec<usize> =
            self.lines.iter().map(|line| within(&self.markup.matches, Range::clone, line).len()).collect();
        let sum = |start: usize| counts[start..start + length].iter().sum::<usize>();
        // `max_by_key` returns the last maximum; going backwards makes it the first.
        let start = (0..=counts.len() - length).rev().max_by_key(|start| sum(*start)).unwrap_or(0);
        start..start + length
    }

    /// A line with colors.
    pub fn line(&self, index: usize) -> String {
        let line = &self.lines[index];
        let tokens = within(&self.markup.tokens, |token| token.start..token.end, line);
        let matches = within(&self.markup.matches, Range::clone, line);
        let spans = tokens.iter().map(|token| token.start..token.end).chain(matches.iter().cloned());
        let mut cuts: Vec<usize> =
            spans.flat_map(|span| [span.start.max(line.start), span.end.min(line.end)]).collect();
        cuts.extend([line.start, line.end]);
        cuts.sort_unstable();
        cuts.dedup();
        let piece = |cut: &[usize]| {
            let text = &self.text[cut[0]..cut[1]];
            let token = tokens.iter().find(|token| (token.start..token.end).contains(&cut[0]));
            if matches.iter().any(|span| span.contains(&cut[0])) {
                return painted(style::MATCH, text);
            }
            token
                .map_or_else(|| visible_text(text).into_owned(), |token| painted(style_of(token.class), text))
        };
        cuts.windows(2).map(piece).collect()
    }
}

/// The spans that touch a line; spans are in order and do not overlap.
fn within<'s, T>(spans: &'s [T], range: impl Fn(&T) -> Range<usize>, line: &Range<usize>) -> &'s [T] {
    let first = spans.partition_point(|span| range(span).end <= line.start);
    let rest = &spans[first..];
    &rest[..rest.partition_point(|span| range(span).start < line.end)]
}

fn style_of(class: TokenClass) -> Style {
    match class {
        TokenClass::Comment => Style::new().dimmed(),
        TokenClass::Keyword => AnsiColor::Magenta.on_default(),
        TokenClass::String => AnsiColor::Green.on_default(),
        TokenClass::Number | TokenClass::Constant | TokenClass::Attribute => AnsiColor::Yellow.on_default(),
        TokenClass::Function => AnsiColor::Blue.on_default(),
        TokenClass::Type => AnsiColor::Cyan.on_default(),
        TokenClass::Property => Style::new(),
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::Token;

    use super::*;

    const CODE: &str = "fn a() {\r\n    let x = 1;\n    retry(payment)\n}";

    fn markup(matches: &[&str]) -> Markup {
        let place = |word: &str| CODE.find(word).map(|start| start..start + word.len()).unwrap();
        let token = |word: &str, class| Token { start: place(word).start, end: place(word).end, class };
        Markup {
            tokens: vec![token("fn", TokenClass::Keyword), token("retry", TokenClass::Function)],
            matches: matches.iter().map(|word| place(word)).collect(),
        }
    }

    #[test]
    fn the_window_goes_where_the_words_are() {
        let window = |matches: &[&str], length| Excerpt::new(CODE, &markup(matches)).best_window(length);
        assert_eq!(window(&["payment"], 2), 1..3);
        assert_eq!(window(&[], 2), 0..2);
        assert_eq!(window(&["x"], 99), 0..4);
        assert_eq!(Excerpt::new("", &Markup::default()).best_window(3), 0..0);
    }

    #[test]
    fn matches_are_marked_over_the_syntax() {
        let markup = markup(&["try", "payment"]);
        let excerpt = Excerpt::new(CODE, &markup);
        let function = |text: &str| painted(style_of(TokenClass::Function), text);
        let marked = |text: &str| painted(style::MATCH, text);
        let expected = format!("    {}{}({})", function("re"), marked("try"), marked("payment"));
        assert_eq!(excerpt.line(2), expected);
        assert_eq!(excerpt.line(0), format!("{} a() {{", painted(style_of(TokenClass::Keyword), "fn")));
        assert_eq!(excerpt.line(3), "}");
    }
}
