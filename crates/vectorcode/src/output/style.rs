//! The styles of the output, named by meaning.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};
use vectorcode_core::{is_unprintable, visible_text};

use super::terminal;

pub const ERROR: Style = AnsiColor::Red.on_default().bold();
pub const HINT: Style = AnsiColor::Cyan.on_default().bold();

pub const GOOD: Style = AnsiColor::Green.on_default().bold();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const PATH: Style = AnsiColor::Magenta.on_default();
pub const SYMBOL: Style = Style::new().bold();
pub const MATCH: Style = AnsiColor::Red.on_default().bold();
pub const DIM: Style = Style::new().dimmed();

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// A unified diff in the usual colors.
pub fn diff(text: &str) -> String {
    let paint = |line: &str| match diff_line(line) {
        Some(style) => format!("{}{line}{}", style.render(), style.render_reset()),
        None => line.to_owned(),
    };
    text.lines().map(paint).collect::<Vec<_>>().join("\n")
}

fn diff_line(line: &str) -> Option<Style> {
    match line.as_bytes().first() {
        _ if line.starts_with("+++ ") || line.starts_with("--- ") => Some(Style::new().bold()),
        Some(b'+') => Some(ADDED),
        Some(b'-') => Some(REMOVED),
        Some(b'@') => Some(PLACE),
        _ => None,
    }
}

/// Text in a style, with a reset at the end. Control characters in the text are made visible.
pub fn painted(style: Style, text: impl std::fmt::Display) -> String {
    let text = text.to_string();
    format!("{}{}{}", style.render(), visible_text(&text), style.render_reset())
}

/// Makes control characters visible, except the styles of this module and our own links. Names, code and queries come from
/// repositories that may be hostile, and an escape sequence in them would control the terminal.
pub fn without_controls(text: &str) -> Cow<'_, str> {
    if !text.contains(|character| character != '\n' && is_unprintable(character)) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        shown.push_str(&visible_text(&rest[..at]));
        let length = own_style_length(&rest[at..]).or_else(|| terminal::own_link_length(&rest[at..]));
        let (escape, after) = rest[at..].split_at(length.unwrap_or(1));
        shown.push_str(&if length.is_some() { escape.into() } else { visible_text(escape) });
        rest = after;
    }
    shown.push_str(&visible_text(rest));
    shown.into()
}

/// The length of a style that this module uses: reset, bold, dimmed and the six colours. Styles that hide text are not allowed.
fn own_style_length(text: &str) -> Option<usize> {
    let (codes, _) = text.strip_prefix("\u{1b}[")?.split_once('m')?;
    let is_own = |code: &str| matches!(code, "0" | "1" | "2" | "31" | "32" | "33" | "34" | "35" | "36");
    codes.split(';').all(is_own).then_some("\u{1b}[".len() + codes.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_styles_stay_and_other_escapes_are_shown() {
        let own = painted(ERROR, "bad") + &painted(DIM, "quiet") + &painted(MATCH, "hit");
        assert_eq!(without_controls(&own), own);
        assert_eq!(
            painted(DIM, "a\u{1b}[31mb"),
            format!("{}a\\u{{1b}}[31mb{}", DIM.render(), DIM.render_reset())
        );
        assert_eq!(
            without_controls("\u{1b}[8mhidden\u{1b}]0;title\u{7}"),
            "\\u{1b}[8mhidden\\u{1b}]0;title\\u{7}"
        );
        assert_eq!(without_controls("two\nlines\u{202e}\u{9b}2J"), "two\nlines\\u{202e}\\u{9b}2J");
        assert_eq!(without_controls("\u{1b}"), "\\u{1b}");
        let link = terminal::linked("a.rs", std::path::Path::new("/a.rs"));
        assert_eq!(without_controls(&link), link);
        let foreign = "\u{1b}]8;;https://example.com\u{1b}\\";
        assert!(!without_controls(foreign).contains('\u{1b}'));
    }
}
