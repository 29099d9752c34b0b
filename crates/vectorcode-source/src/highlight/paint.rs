//! Builds the list of tokens in one pass over a text, from start to end.

use vectorcode_core::{Token, TokenClass};

/// Collects tokens in ascending order of position. Text before the current position is not changed again.
pub(super) struct Brush<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
}

impl<'t> Brush<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0, tokens: Vec::new() }
    }

    /// Moves to `end` and gives the text in between this class.
    pub fn paint_to(&mut self, end: usize, class: Option<TokenClass>) {
        // Parsers see ASCII replacements for other characters, so a node may start or end inside a character.
        let end = self.text.floor_char_boundary(end.min(self.text.len()));
        if end <= self.at {
            return;
        }
        let start = std::mem::replace(&mut self.at, end);
        let Some(class) = class else { return };
        match self.tokens.last_mut() {
            Some(last) if last.end == start && last.class == class => last.end = end,
            _ if self.text[start..end].trim().is_empty() => {}
            _ => self.tokens.push(Token { start, end, class }),
        }
    }

    /// Adds the tokens of a part of the text that starts at `offset`.
    pub fn embed(&mut self, offset: usize, tokens: &[Token]) {
        for token in tokens {
            self.paint_to(offset + token.start, None);
            self.paint_to(offset + token.end, Some(token.class));
        }
    }

    pub fn finish(self) -> Vec<Token> {
        self.tokens
    }
}
