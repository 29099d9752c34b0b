//! Makes text from a project safe to display.
//!
//! File names, symbols, code and queries are hostile input: an escape sequence can control a terminal, a bidirectional
//! control character can make code look different from what it does, and invisible characters can hide instructions that a
//! language model reads and a person does not see. [`visible_text`] and [`visible_line`] replace such characters by their
//! Unicode escape (`\u{202e}`), so that the reader sees that something is there.
//!
//! Not covered: look-alike letters, and the joiners U+200C and U+200D, which several scripts and emoji need.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Escapes unprintable characters, but keeps line breaks (`\n`, `\r\n`) and tabs: for code and for whole messages.
pub fn visible_text(text: &str) -> Cow<'_, str> {
    escape(text, |character, next| match character {
        '\n' | '\t' => false,
        '\r' => next != Some('\n'),
        other => is_unprintable(other),
    })
}

/// Escapes unprintable characters, line breaks and tabs: for anything that must stay on one line, such as a path, a symbol or
/// a query. Otherwise a file name with a line break in it could forge lines of the output.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    escape(text, |character, _| is_unprintable(character))
}

/// Characters that are invisible, or change how others look or are understood. Control characters are handled separately.
const INVISIBLE: [RangeInclusive<char>; 13] = [
    '\u{ad}'..='\u{ad}',     // soft hyphen
    '\u{61c}'..='\u{61c}',   // bidi: Arabic letter mark
    '\u{180e}'..='\u{180e}', // Mongolian vowel separator
    '\u{200b}'..='\u{200b}', // zero width space
    '\u{200e}'..='\u{200f}', // bidi: direction marks
    '\u{2028}'..='\u{2029}', // line and paragraph separators
    '\u{202a}'..='\u{202e}', // bidi: embeddings and overrides
    '\u{2060}'..='\u{2065}', // word joiner and invisible operators
    '\u{2066}'..='\u{2069}', // bidi: isolates
    '\u{206a}'..='\u{206f}', // deprecated format characters
    '\u{feff}'..='\u{feff}', // byte order mark
    '\u{fff9}'..='\u{fffb}', // interlinear annotation
    // Tags and supplementary variation selectors: they can encode hidden text, one character per byte.
    '\u{e0000}'..='\u{e0fff}',
];

/// Whether a character has no shape of its own and can mislead the reader.
pub fn is_unprintable(character: char) -> bool {
    // Fast path for nearly every character of source code.
    if matches!(character, ' '..='~') {
        return false;
    }
    character.is_control() || INVISIBLE.iter().any(|range| range.contains(&character))
}

fn escape(text: &str, is_escaped: impl Fn(char, Option<char>) -> bool) -> Cow<'_, str> {
    let next_of = |at: usize, character: char| text[at + character.len_utf8()..].chars().next();
    let must_escape = |(at, character): (usize, char)| is_escaped(character, next_of(at, character));
    if !text.char_indices().any(must_escape) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 16);
    for (at, character) in text.char_indices() {
        if must_escape((at, character)) {
            visible.extend(character.escape_unicode());
        } else {
            visible.push(character);
        }
    }
    Cow::Owned(visible)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_bidi_controls_and_hidden_text_become_visible() {
        assert_eq!(visible_text("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(visible_text("\u{9b}2J"), "\\u{9b}2J");
        assert_eq!(visible_text("x\u{202e}y\u{2069}"), "x\\u{202e}y\\u{2069}");
        assert_eq!(visible_text("\u{e0041}\u{200b}"), "\\u{e0041}\\u{200b}");
    }

    #[test]
    fn ordinary_text_is_borrowed_and_unchanged() {
        for text in ["fn main() {\n\tlet ä = \"日本 👩‍👩‍👧 ⚠\u{fe0f}\";\r\n}", ""] {
            assert!(matches!(visible_text(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn a_line_keeps_no_breaks_and_a_text_no_lone_return() {
        assert_eq!(visible_line("a\nb\tc\r"), "a\\u{a}b\\u{9}c\\u{d}");
        assert_eq!(visible_text("safe\rrm -rf\r\n"), "safe\\u{d}rm -rf\r\n");
    }

    proptest! {
        #[test]
        fn nothing_unprintable_is_left(text in "\\PC{0,20}[\\x00-\\x1f\\x7f-\\x9f\u{202a}-\u{202e}]{0,5}.{0,20}") {
            prop_assert!(!visible_line(&text).chars().any(is_unprintable));
            let is_allowed = |character: char| "\n\r\t".contains(character) || !is_unprintable(character);
            prop_assert!(visible_text(&text).chars().all(is_allowed));
        }
    }
}
