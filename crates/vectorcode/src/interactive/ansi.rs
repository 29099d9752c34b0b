//! Turns our own styled text into spans: results have the same colors here as everywhere else.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

/// The text in spans. It has no escape sequences but those of `output::style`, which makes all others visible.
pub fn spans(text: &str, has_colors: bool) -> Vec<Span<'static>> {
    let (mut spans, mut style) = (Vec::new(), Style::new());
    for (place, part) in text.split("\u{1b}[").enumerate() {
        let plain = match part.split_once('m').filter(|_| place > 0) {
            Some((codes, rest)) => {
                style = codes.split(';').fold(style, with_code);
                rest
            }
            None => part,
        };
        if !plain.is_empty() {
            let style = if has_colors { style } else { Style::new() };
            spans.push(Span::styled(plain.to_owned(), style));
        }
    }
    spans
}

fn with_code(style: Style, code: &str) -> Style {
    match code.parse() {
        Ok(0) | Err(_) => Style::new(),
        Ok(1) => style.add_modifier(Modifier::BOLD),
        Ok(2) => style.add_modifier(Modifier::DIM),
        Ok(number) => color(number).map_or(style, |color| style.fg(color)),
    }
}

/// The six colors that output uses.
fn color(code: u8) -> Option<Color> {
    Some(match code {
        31 => Color::Red,
        32 => Color::Green,
        33 => Color::Yellow,
        34 => Color::Blue,
        35 => Color::Magenta,
        36 => Color::Cyan,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_become_spans_and_are_left_out_without_colors() {
        let text = "let \u{1b}[1m\u{1b}[31mretry\u{1b}[0m = 1;";
        let colored = spans(text, true);
        let words: Vec<&str> = colored.iter().map(|span| &*span.content).collect();
        assert_eq!(words, ["let ", "retry", " = 1;"]);
        assert_eq!(colored[1].style.fg, Some(Color::Red));
        assert!(spans(text, false).iter().all(|span| span.style == Style::new()));
    }
}
