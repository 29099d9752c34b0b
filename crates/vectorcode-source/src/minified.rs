//! Detects text whose lines are not meant for people: minified code, bundles, data on a few long lines.

use vectorcode_core::{ContentClass, file_name};

/// Average line length, in bytes, above which a file counts as minified.
const AVERAGE_LINE: usize = 500;
/// Nobody writes lines of this length. A file that consists mostly of such lines is minified, however many short lines (a
/// licence, a table of contents) it also contains.
const LONG_LINE: usize = 2000;
/// In prose, more than one byte in this many is a space: one in six in English. Minified code and data have fewer.
const PROSE_SPACING: usize = 7;

/// Whether most of a text is in very long lines. Documents with one paragraph per line do not count.
pub(crate) fn is_minified(text: &str, class: ContentClass) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let (mut lines, mut long) = (0, 0);
    for line in text.split('\n') {
        lines += 1;
        long += if line.len() >= LONG_LINE { line.len() } else { 0 };
    }
    let has_long_lines = text.len() > lines * AVERAGE_LINE || long * 2 > text.len();
    has_long_lines && !(class == ContentClass::Docs && is_prose(text))
}

/// Whether the name of a file marks it as minified: `jquery.min.js`, `site.min.css`.
pub(crate) fn is_minified_name(path: &str) -> bool {
    file_name(path).rsplit_once('.').is_some_and(|(stem, _)| stem.ends_with(".min") || stem.ends_with("-min"))
}

fn is_prose(text: &str) -> bool {
    text.bytes().filter(|byte| *byte == b' ').count() * PROSE_SPACING > text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> bool {
        is_minified(text, ContentClass::Code)
    }

    #[test]
    fn long_lines_on_average_are_minified() {
        assert!(code(&"x".repeat(501)));
        assert!(code(&format!("{}\n", "x".repeat(501))));
        assert!(!code(&"x".repeat(500)));
        assert!(!code(&format!("{}\nshort\n", "x".repeat(900))));
        assert!(!code(""));
    }

    #[test]
    fn a_bundle_below_a_long_licence_is_minified() {
        let licence = "// a line of the licence\n".repeat(400);
        assert!(code(&format!("{licence}{}\n", "var a=1;".repeat(3000))));
        assert!(!code(&format!("{licence}{}\n", "var a=1;".repeat(300))));
    }

    #[test]
    fn a_document_with_a_paragraph_on_each_line_is_not() {
        let prose = format!("{}\n", "A word or two of a long paragraph. ".repeat(30)).repeat(10);
        assert!(!is_minified(&prose, ContentClass::Docs));
        assert!(is_minified(&prose.replace(' ', ""), ContentClass::Docs));
    }

    #[test]
    fn names_say_it_too() {
        assert!(is_minified_name("lib/jquery.min.js") && is_minified_name("a-min.css"));
        assert!(
            !is_minified_name("src/min.js") && !is_minified_name("admin.ts") && !is_minified_name("a.min")
        );
    }
}
