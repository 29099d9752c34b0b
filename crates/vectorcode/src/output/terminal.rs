//! The capabilities of the terminal on stdout: its width, and whether it supports links.

use std::fmt::Write;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::LazyLock;

use terminal_size::{Width, terminal_size_of};

/// Lines in files and pipes are cut at this width: more helps nobody, and minified code has lines of a megabyte.
const PIPE_COLUMNS: usize = 400;
/// Narrower than this, wrapped lines are easier to read than cut ones.
const MIN_COLUMNS: usize = 40;

/// Maximum width of a line of code.
pub fn columns() -> usize {
    let stdout = std::io::stdout();
    let width = if stdout.is_terminal() { terminal_size_of(stdout) } else { None };
    width.map_or(PIPE_COLUMNS, |(Width(columns), _)| usize::from(columns).max(MIN_COLUMNS))
}

/// Whether paths on stdout become links (OSC 8). Terminals that do not know the sequence may print it, so only those known to
/// support it get it. `FORCE_HYPERLINK=0` and `=1` override this, as in other programs.
pub fn has_links() -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    match variable("FORCE_HYPERLINK").as_str() {
        "" => std::io::stdout().is_terminal() && is_known_to_have_links(&variable),
        "0" => false,
        _ => true,
    }
}

fn is_known_to_have_links(variable: &dyn Fn(&str) -> String) -> bool {
    let term = variable("TERM");
    // A multiplexer only passes the sequence on if it is configured to.
    if term == "dumb" || !variable("STY").is_empty() || variable("CI") == "true" {
        return false;
    }
    let programs = ["iTerm.app", "WezTerm", "vscode", "Hyper", "ghostty", "WarpTerminal", "Tabby"];
    let terms = ["kitty", "alacritty", "foot", "ghostty", "wezterm"];
    programs.contains(&variable("TERM_PROGRAM").as_str())
        || terms.iter().any(|known| term.contains(known))
        || variable("VTE_VERSION").parse().is_ok_and(|version: u32| version >= 5000)
        || ["WT_SESSION", "KONSOLE_VERSION", "DOMTERM"].iter().any(|name| !variable(name).is_empty())
}

/// Marks the links created by this process. Printed code cannot know the id, so a link in a hostile file is not taken for one
/// of ours.
static LINK_ID: LazyLock<String> =
    LazyLock::new(|| format!("vc{:016x}", RandomState::new().build_hasher().finish()));

const LINK_END: &str = "\u{1b}]8;;\u{1b}\\";

/// The text as a link to a file.
pub fn linked(text: &str, file: &Path) -> String {
    format!("\u{1b}]8;id={};{}\u{1b}\\{text}{LINK_END}", *LINK_ID, url(file))
}

/// The length of a sequence from [`linked`] at the start of the text.
pub fn own_link_length(text: &str) -> Option<usize> {
    if text.starts_with(LINK_END) {
        return Some(LINK_END.len());
    }
    let start = format!("\u{1b}]8;id={};file://", *LINK_ID);
    let url = text.strip_prefix(&start)?;
    let end = url.find(|c: char| !is_plain(c))?;
    url[end..].starts_with("\u{1b}\\").then(|| start.len() + end + 2)
}

/// `file:///home/ada/a%20b.rs`; on Windows `file:///C:/a.rs`.
fn url(file: &Path) -> String {
    let path = file.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let mut url = format!("file://{}", if path.starts_with('/') { "" } else { "/" });
    for byte in path.bytes() {
        if is_plain(char::from(byte)) && byte != b'%' {
            url.push(char::from(byte));
        } else {
            let _ = write!(url, "%{byte:02X}");
        }
    }
    url
}

/// Characters that need no escape in a URL, and `%`.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "/-._~:%+,@".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_recognised_and_those_of_others_are_not() {
        let link = linked("a b.rs", Path::new("/home/ä/a b.rs"));
        assert!(link.contains("file:///home/%C3%A4/a%20b.rs\u{1b}\\a b.rs"), "{link}");
        let start = own_link_length(&link).unwrap();
        assert!(link[start..].starts_with("a b.rs"));
        assert_eq!(own_link_length("\u{1b}]8;id=x;file:///etc\u{1b}\\"), None);
        assert_eq!(own_link_length("\u{1b}]8;;https://example.com\u{1b}\\"), None);
    }

    #[test]
    fn only_terminals_that_are_known_to_have_links_get_them() {
        let with = |pairs: &'static [(&str, &str)]| {
            move |name: &str| {
                let found = pairs.iter().find(|(known, _)| *known == name);
                found.map_or_else(String::new, |(_, value)| (*value).to_owned())
            }
        };
        assert!(is_known_to_have_links(&with(&[("TERM", "xterm-256color"), ("VTE_VERSION", "7200")])));
        assert!(is_known_to_have_links(&with(&[("TERM", "xterm-kitty")])));
        assert!(!is_known_to_have_links(&with(&[("TERM", "xterm-256color")])));
        assert!(!is_known_to_have_links(&with(&[("TERM", "dumb"), ("TERM_PROGRAM", "vscode")])));
    }
}
