//! Chooses the lines of a hit to show on a terminal, with syntax colors and the words of the query highlighted.

use std::iter::once;
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;
use vectorcode_core::{Markup, TokenClass, visible_text};

use super::style::{self, painted};

/// If all lines are longer than this, the code was not written by people and is not worth showing to them.
const MINIFIED_BYTES: usize = 300;
/// Columns shown before the first match if the start of the line is cut off.
const LEAD: usize = 16;
const TAB: usize = 4;

/// A hit's text, line by line.
pub struct Excerpt<'h> {
    text: &'h str,
    markup: &'h Markup,
    /// Byte ranges, without line endings.
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

    /// Whether the code is minified, so that no line is worth showing.
    pub fn is_minified(&self) -> bool {
        let mut code = self.lines.iter().filter(|line| line.len() > 2).peekable();
        code.peek().is_some() && code.all(|line| line.len() > MINIFIED_BYTES)
    }

    /// The line that defines `symbol`: the first that contains its bare name and is not a comment. The first line if there is
    /// none.
    pub fn signature(&self, symbol: Option<&str>) -> usize {
        let bare =
            symbol.and_then(|symbol| symbol.rsplit(['.', ':', '#', '/', ' ']).find(|part| !part.is_empty()));
        let has_name = |line: &Range<usize>| {
            let text = &self.text[line.clone()];
            bare.is_some_and(|name| text.contains(name)) && !is_comment(text)
        };
        self.lines.iter().position(has_name).unwrap_or(0)
    }

    /// Chooses at most `length` lines: the one at `signature`, and those with the most matches. Returns ranges in order, with
    /// gaps between them.
    pub fn chosen(&self, length: usize, signature: usize) -> Vec<Range<usize>> {
        let length = length.min(self.lines.len());
        if length == 0 {
            return Vec::new();
        }
        let around = |start: usize| start.min(self.lines.len() - length)..;
        if self.markup.matches.is_empty() {
            let start = around(signature).start;
            return once(start..start + length).collect();
        }
        let window = self.best_window(length);
        if window.contains(&signature) {
            return once(window).collect();
        }
        if length == 1 {
            return once(signature..signature + 1).collect();
        }
        let window = self.best_window(length - 1);
        if window.contains(&signature) || window.start == signature + 1 {
            let start = around(window.start.min(signature)).start;
            return once(start..start + length).collect();
        }
        let mut chosen = vec![signature..signature + 1, window];
        chosen.sort_by_key(|lines| lines.start);
        chosen
    }

    /// The `length` consecutive lines with the most matches; the first such lines if there is a tie.
    fn best_window(&self, length: usize) -> Range<usize> {
        let counts: Vec<usize> =
            self.lines.iter().map(|line| within(&self.markup.matches, Range::clone, line).len()).collect();
        let sum = |start: usize| counts[start..start + length].iter().sum::<usize>();
        // `max_by_key` returns the last maximum; going backwards makes it the first.
        let start = (0..=counts.len() - length).rev().max_by_key(|start| sum(*start)).unwrap_or(0);
        start..start + length
    }

    /// A line with colors, at most `columns` wide. If its matches are further right, the start of the line is cut off.
    pub fn line(&self, index: usize, columns: usize) -> String {
        let line = self.lines[index].clone();
        let Some(shown) = self.cut(&line, columns) else { return self.colored(&line) };
        let cut_before = if shown.start > line.start { painted(style::DIM, "…") } else { String::new() };
        let cut_after = if shown.end < line.end { painted(style::DIM, "…") } else { String::new() };
        format!("{cut_before}{}{cut_after}", self.colored(&shown))
    }

    /// The part of a line to show; `None` if the whole line fits.
    fn cut(&self, line: &Range<usize>, columns: usize) -> Option<Range<usize>> {
        if width(&self.text[line.clone()]) <= columns {
            return None;
        }
        let first_match = within(&self.markup.matches, Range::clone, line).first();
        let target = first_match.map_or(line.start, |found| found.end.min(line.end));
        let start = if width(&self.text[line.start..target]) < columns {
            line.start
        } else {
            let before = &self.text[line.start..first_match.map_or(line.start, |found| found.start)];
            before.char_indices().rev().nth(LEAD).map_or(line.start, |(at, _)| line.start + at)
        };
        // One column for each ellipsis.
        let room = columns.saturating_sub(1 + usize::from(start > line.start));
        Some(start..start + fitting(&self.text[start..line.end], room))
    }

    fn colored(&self, line: &Range<usize>) -> String {
        let tokens = within(&self.markup.tokens, |token| token.start..token.end, line);
        let matches = within(&self.markup.matches, Range::clone, line);
        let spans = tokens.iter().map(|token| token.start..token.end).chain(matches.iter().cloned());
        let mut cuts: Vec<usize> =
            spans.flat_map(|span| [span.start.max(line.start), span.end.min(line.end)]).collect();
        cuts.extend([line.start, line.end]);
        cuts.sort_unstable();
        cuts.dedup();
        let piece = |cut: &[usize]| {
            let text = &self.text[cut[0]..cut[1]].replace('\t', "    ");
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

/// Skips comments, since a doc comment may contain the name of the definition below it.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "*", "#", "--", "\"\"\"", "'''", "%", ";"].iter().any(|mark| line.starts_with(mark))
        && !line.starts_with("#[")
        && !line.starts_with("#define")
}

/// Width on a terminal. Characters that are escaped when printed, such as control characters, count as zero; cutting such a
/// line a little late does no harm.
fn width(text: &str) -> usize {
    text.chars().map(column_count).sum()
}

fn column_count(character: char) -> usize {
    if character == '\t' { TAB } else { character.width().unwrap_or(0) }
}

/// Number of bytes of the text that fit into `columns`.
fn fitting(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += column_count(character);
        if used > columns {
            return at;
        }
    }
    text.len()
}

/// The spans that overlap a line. Spans must be sorted and must not overlap each other.
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

    fn matching(text: &str, words: &[&str]) -> Markup {
        let found = words.iter().map(|word| text.find(word).map(|start| start..start + word.len()).unwrap());
        Markup { tokens: Vec::new(), matches: found.collect() }
    }

    #[test]
    fn the_signature_and_the_lines_that_match_are_chosen() {
        let chosen = |matches: &[&str], length| -> Vec<(usize, usize)> {
            let chosen = Excerpt::new(CODE, &markup(matches)).chosen(length, 0);
            chosen.into_iter().map(|lines| (lines.start, lines.end)).collect()
        };
        assert_eq!(chosen(&["payment"], 2), [(0, 1), (2, 3)]);
        assert_eq!(chosen(&["x"], 2), [(0, 2)]);
        assert_eq!(chosen(&["payment"], 3), [(0, 3)], "nothing is left between them");
        assert_eq!(chosen(&["payment"], 1), [(0, 1)]);
        assert_eq!(chosen(&[], 2), [(0, 2)]);
        assert_eq!(chosen(&["x"], 99), [(0, 4)]);
        assert!(chosen(&["x"], 0).is_empty());
        assert!(Excerpt::new("", &Markup::default()).chosen(3, 0).is_empty());
    }

    #[test]
    fn the_signature_is_below_its_comment() {
        let none = Markup::default();
        let code = "/// Retries the payment.\n#[must_use]\npub fn retry() {\n    retry();\n}\n";
        assert_eq!(Excerpt::new(code, &none).signature(Some("Payment::retry")), 2);
        assert_eq!(Excerpt::new(code, &none).signature(None), 0);
        assert_eq!(Excerpt::new(code, &none).signature(Some("elsewhere")), 0);
    }

    #[test]
    fn matches_are_marked_over_the_syntax() {
        let markup = markup(&["try", "payment"]);
        let excerpt = Excerpt::new(CODE, &markup);
        let function = |text: &str| painted(style_of(TokenClass::Function), text);
        let marked = |text: &str| painted(style::MATCH, text);
        let expected = format!("    {}{}({})", function("re"), marked("try"), marked("payment"));
        assert_eq!(excerpt.line(2, 80), expected);
        assert_eq!(excerpt.line(0, 80), format!("{} a() {{", painted(style_of(TokenClass::Keyword), "fn")));
        assert_eq!(excerpt.line(3, 80), "}");
    }

    #[test]
    fn long_lines_are_cut_by_columns_and_not_by_bytes() {
        let text = "名前".repeat(10);
        let none = Markup::default();
        let line = Excerpt::new(&text, &none).line(0, 11);
        assert_eq!(line, format!("名前名前名{}", painted(style::DIM, "…")), "ten columns and the mark");
        assert_eq!(Excerpt::new(&text, &none).line(0, 40), text);
    }

    #[test]
    fn a_match_far_to_the_right_is_shown() {
        let text = format!("{}needle{}", "x".repeat(300), "y".repeat(300));
        let markup = matching(&text, &["needle"]);
        let line = Excerpt::new(&text, &markup).line(0, 40);
        assert!(line.contains("needle") && line.matches('…').count() == 2, "{line}");
    }

    #[test]
    fn minified_code_is_known_by_its_lines() {
        let none = Markup::default();
        assert!(Excerpt::new(&"a=1;".repeat(400), &none).is_minified());
        let wide = format!("const WIDE = [\n{}\n]", "1, ".repeat(400));
        assert!(!Excerpt::new(&wide, &none).is_minified(), "one long line is cut");
        assert!(!Excerpt::new(CODE, &none).is_minified() && !Excerpt::new("", &none).is_minified());
    }
}
