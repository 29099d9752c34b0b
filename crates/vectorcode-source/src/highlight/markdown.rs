//! Highlights Markdown line by line: headings, quotes and code spans. Code in a fence is highlighted in its language.

use vectorcode_core::{Token, TokenClass};

use super::paint::Brush;
use super::whole;
use crate::languages::{Language, by_name, by_path};

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut brush = Brush::new(text);
    let mut fence: Option<Fence<'_>> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        match &fence {
            Some(open) if open.is_closed_by(line) => {
                open.paint(&mut brush, &text[open.start..start]);
                brush.paint_to(start, None);
                brush.paint_to(start + line.trim_end().len(), Some(TokenClass::Comment));
                fence = None;
            }
            Some(_) => {}
            None => {
                fence = Fence::open(line, start + line.len());
                paint_line(&mut brush, line, start, fence.is_some());
            }
        }
        start += line.len();
    }
    if let Some(open) = fence {
        open.paint(&mut brush, &text[open.start..]);
    }
    brush.finish()
}

/// An open code fence.
struct Fence<'t> {
    mark: &'t str,
    language: Option<&'static Language>,
    start: usize,
}

impl<'t> Fence<'t> {
    fn open(line: &'t str, start: usize) -> Option<Self> {
        let line = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark))?;
        let name = line.trim_start_matches(['`', '~']).split([' ', ',', '{']).next().unwrap_or_default();
        // `rs` and `sh` are file extensions, not names of languages.
        let language = by_name(name).or_else(|| by_path(&format!("x.{name}")));
        // Only languages with a grammar: Markdown inside Markdown could nest without limit.
        Some(Self { mark, language: language.filter(|language| language.has_grammar()), start })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        line.trim().starts_with(self.mark)
    }

    fn paint(&self, brush: &mut Brush<'_>, code: &str) {
        if let Some(language) = self.language {
            brush.embed(self.start, &whole(language, code));
        }
    }
}

fn paint_line(brush: &mut Brush<'_>, line: &str, start: usize, is_fence: bool) {
    let end = start + line.trim_end().len();
    brush.paint_to(start, None);
    match line.trim_start().as_bytes().first() {
        _ if is_fence => brush.paint_to(end, Some(TokenClass::Comment)),
        Some(b'#') => brush.paint_to(end, Some(TokenClass::Keyword)),
        Some(b'>') => brush.paint_to(end, Some(TokenClass::Comment)),
        _ => paint_code_spans(brush, line, start),
    }
}

fn paint_code_spans(brush: &mut Brush<'_>, line: &str, start: usize) {
    let mut marks = line.match_indices('`').map(|(at, _)| start + at);
    while let Some((open, close)) = marks.next().zip(marks.next()) {
        brush.paint_to(open, None);
        brush.paint_to(close + 1, Some(TokenClass::String));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_code_and_fences_are_told_apart() {
        let text = "# Title\n\nUse `x` here.\n\n```rs\nfn a() {}\n```\n> quote\n";
        let found: Vec<_> =
            tokens(text).into_iter().map(|token| (&text[token.start..token.end], token.class)).collect();
        assert_eq!(
            found,
            [
                ("# Title", TokenClass::Keyword),
                ("`x`", TokenClass::String),
                ("```rs", TokenClass::Comment),
                ("fn", TokenClass::Keyword),
                ("a", TokenClass::Function),
                ("```", TokenClass::Comment),
                ("> quote", TokenClass::Comment),
            ]
        );
    }
}
