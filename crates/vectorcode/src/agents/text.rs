//! The encoding of a user's text file: removes the byte order mark and line endings before an edit, and restores them
//! after.

use imara_diff::{Algorithm, Diff, InternedInput};

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A text with `\n` line endings for editing, and what is needed to write it back in its original form.
#[derive(Clone, Debug)]
pub struct Text {
    mark: bool,
    original: String,
    body: String,
}

impl Text {
    /// Returns `None` when the bytes are not valid UTF-8.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let stripped = text.strip_prefix(BYTE_ORDER_MARK);
        let original = stripped.unwrap_or(text).to_owned();
        Some(Self { mark: stripped.is_some(), body: original.replace("\r\n", "\n"), original })
    }

    /// The text with `\n` line endings.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Encodes an edited body. Existing lines keep their line endings; new lines get the most common one of the file.
    pub fn encode(&self, edited: &str) -> Vec<u8> {
        let mark = if self.mark { BYTE_ORDER_MARK } else { "" };
        if self.original.len() == self.body.len() {
            return format!("{mark}{edited}").into_bytes();
        }
        let windows_lines = self.original.len() - self.body.len();
        let mostly_windows = windows_lines * 2 >= self.body.matches('\n').count();
        let originals: Vec<&str> = self.original.split_inclusive('\n').collect();
        let mut text = mark.to_owned();
        let input = InternedInput::new(self.body.as_str(), edited);
        let mut kept_from = 0;
        for hunk in Diff::compute(Algorithm::Histogram, &input).hunks() {
            text.extend(originals[kept_from..hunk.before.start as usize].iter().copied());
            for token in &input.after[hunk.after.start as usize..hunk.after.end as usize] {
                let line = input.interner[*token];
                text += &if mostly_windows { line.replace('\n', "\r\n") } else { line.to_owned() };
            }
            kept_from = hunk.before.end as usize;
        }
        text.extend(originals[kept_from..].iter().copied());
        text.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(original: &str, edit: impl Fn(&str) -> String) -> String {
        let text = Text::decode(original.as_bytes()).unwrap();
        String::from_utf8(text.encode(&edit(text.body()))).unwrap()
    }

    #[test]
    fn windows_endings_and_the_mark_survive() {
        let edited = round("\u{feff}a\r\nb\r\n", |body| body.replace("a\n", "a\nnew\n"));
        assert_eq!(edited, "\u{feff}a\r\nnew\r\nb\r\n");
    }

    #[test]
    fn mixed_endings_stay_mixed_where_nothing_changed() {
        let edited = round("a\r\nb\nc\r\nd\r\n", |body| body.replace("c\n", "c\nnew\n"));
        assert_eq!(edited, "a\r\nb\nc\r\nnew\r\nd\r\n");
        assert_eq!(round("a\nb\nc\nd\ne\r\n", |body| format!("{body}f\n")), "a\nb\nc\nd\ne\r\nf\n");
    }

    #[test]
    fn an_unchanged_body_is_the_same_bytes() {
        for original in ["", "\u{feff}", "a", "a\r\n", "\u{feff}a\r\nb\n\r\n"] {
            assert_eq!(round(original, str::to_owned), original);
        }
    }

    #[test]
    fn other_encodings_are_refused() {
        assert!(Text::decode(&[0xff, 0xfe, b'{', 0]).is_none());
    }
}
