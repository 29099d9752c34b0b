//! Highlighting of a text: which parts are keywords, strings and so on, and which match the query.
//!
//! Colors are chosen by the code that displays it.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The class of a token. All other text, such as punctuation and local names, has no class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenClass {
    Comment,
    Keyword,
    String,
    Number,
    /// `true`, `null`, `MAX_SIZE`.
    Constant,
    /// The name of a function, at its definition or at a call.
    Function,
    Type,
    /// A field, a key, or an attribute of an element.
    Property,
    /// An annotation or decorator.
    Attribute,
}

/// A classified part of a text, as byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    pub class: TokenClass,
}

/// The highlighting of a text. Tokens are sorted and do not overlap each other; the same holds for matches. A token and a
/// match may overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup {
    pub tokens: Vec<Token>,
    /// Where the words of the query occur in the text.
    pub matches: Vec<Range<usize>>,
}

/// A [`Markup`] with offsets in UTF-16 units, as JavaScript and editors count them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Utf16Markup {
    /// Start, end, class.
    pub tokens: Vec<(u32, u32, TokenClass)>,
    /// Start, end.
    pub matches: Vec<(u32, u32)>,
}

impl Markup {
    /// The same ranges of the same `text`, in UTF-16 units.
    pub fn in_utf16(&self, text: &str) -> Utf16Markup {
        let (mut tokens, mut matches) = (Counter::new(text), Counter::new(text));
        Utf16Markup {
            tokens: self.tokens.iter().map(|t| (tokens.upto(t.start), tokens.upto(t.end), t.class)).collect(),
            matches: self.matches.iter().map(|m| (matches.upto(m.start), matches.upto(m.end))).collect(),
        }
    }
}

/// Counts UTF-16 units from one offset to the next, so that the text is scanned only once.
struct Counter<'t> {
    text: &'t str,
    byte: usize,
    units: usize,
}

impl<'t> Counter<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, byte: 0, units: 0 }
    }

    fn upto(&mut self, byte: usize) -> u32 {
        let between = self.text.get(self.byte..byte).unwrap_or_default();
        self.units += if between.is_ascii() { between.len() } else { between.encode_utf16().count() };
        self.byte = byte;
        self.units as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_as_scripts_count() {
        let text = "é = \"🦀\"; x";
        let string = text.find('"').unwrap()..text.rfind('"').unwrap() + 1;
        let markup = Markup {
            tokens: vec![Token { start: string.start, end: string.end, class: TokenClass::String }],
            matches: vec![0..2, text.len() - 1..text.len()],
        };
        let counted = markup.in_utf16(text);
        assert_eq!(counted.tokens, [(4, 8, TokenClass::String)]);
        assert_eq!(counted.matches, [(0, 1), (10, 11)]);
        assert_eq!(serde_json::to_string(&counted.tokens).unwrap(), r#"[[4,8,"string"]]"#);
    }
}
