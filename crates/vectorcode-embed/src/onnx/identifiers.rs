//! Splits identifiers into words: `readFile` and `read_file` become `read File` and `read file`.
//!
//! WordPiece has an English vocabulary and cuts `readfile` into meaningless pieces, so the bundled model was trained on code with
//! split identifiers.

/// A copy of `code` with a space at every word boundary inside its identifiers; underscores become spaces.
pub(super) fn split(code: &str) -> String {
    let bytes = code.as_bytes();
    let mut text = String::with_capacity(code.len() + code.len() / 8);
    let mut written = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'_' {
            text.push_str(&code[written..at]);
            text.push(' ');
            written = at + 1;
        } else if at > 0 && is_joint(bytes[at - 1], *byte, bytes.get(at + 1).copied()) {
            text.push_str(&code[written..at]);
            text.push(' ');
            written = at;
        }
    }
    text.push_str(&code[written..]);
    text
}

/// Whether a word begins at `here`, like the `F` in `readFile` and in `HTTPFile`.
fn is_joint(before: u8, here: u8, after: Option<u8>) -> bool {
    here.is_ascii_uppercase()
        && (before.is_ascii_lowercase()
            || before.is_ascii_digit()
            || before.is_ascii_uppercase() && after.is_some_and(|after| after.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn identifiers_become_words() {
        assert_eq!(split("readFile(read_file, HTTPServer2Go)"), "read File(read file, HTTP Server2 Go)");
        assert_eq!(split("MAX_SIZE __init__ größeÄndern"), "MAX SIZE   init   größeÄndern");
        assert_eq!(split(""), "");
    }

    proptest! {
        #[test]
        fn nothing_but_joints_changes(code in "\\PC*") {
            let without = |text: &str| text.replace([' ', '_'], "");
            prop_assert_eq!(without(&split(&code)), without(&code));
        }
    }
}
