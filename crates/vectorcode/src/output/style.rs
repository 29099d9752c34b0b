//! The colors of the output, by meaning.

use anstyle::{AnsiColor, Style};

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

/// Text in a style, which ends with it.
pub fn painted(style: Style, text: impl std::fmt::Display) -> String {
    format!("{}{text}{}", style.render(), style.render_reset())
}
