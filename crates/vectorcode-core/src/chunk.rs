//! The chunk: the unit of indexing, embedding and search.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::choices;

choices! {
    /// What a file is for.
    pub enum ContentClass: "content class" {
        Code = "code", "Source code";
        Docs = "docs", "Documentation";
        Config = "config", "Configuration";
    }
}

/// A region of a file. Lines count from 1, and the last one is included; bytes count from 0, and the end is excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    pub start_line: u32,
    pub end_line: u32,
    pub byte_start: u32,
    pub byte_end: u32,
}

impl Span {
    pub fn bytes(&self) -> Range<usize> {
        self.byte_start as usize..self.byte_end as usize
    }

    pub fn holds_line(&self, line: u32) -> bool {
        (self.start_line..=self.end_line).contains(&line)
    }

    pub fn contains(&self, other: &Self) -> bool {
        self.byte_start <= other.byte_start && other.byte_end <= self.byte_end
    }
}

/// A contiguous part of one file, small enough to be embedded and displayed as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// Relative to the project root, with `/` on every platform.
    pub path: String,
    pub span: Span,
    /// The symbol's name, qualified if the language allows it: `UserService.authenticate`.
    pub symbol: Option<String>,
    /// The kind of the syntax node (`function_item`), or `section`, `block`, `window`, `long_line` for text without one.
    pub kind: String,
    /// Other kinds of syntax nodes in the chunk: those of smaller items inside it, and those that wrap an item
    /// (`export_statement`, `decorated_definition`). A filter by any of these kinds finds the chunk too.
    #[serde(default)]
    pub further_kinds: Vec<String>,
    pub content: String,
    /// The signature of the enclosing scope: `class UserService`.
    pub parent_context: Option<String>,
    pub language: String,
    pub class: ContentClass,
    /// Whether it is test code.
    pub is_test: bool,
}

/// The kind of a chunk that is part of one very long line: data, or minified code inside an ordinary file.
pub const LONG_LINE_KIND: &str = "long_line";

/// Raise it when [`Chunk::embedding_text`] returns a different text for the same chunk, or the static model a different
/// vector for the same text. All files are then read again, and chunks whose text changed are embedded again.
pub const EMBEDDED_TEXT_VERSION: u16 = 2;

impl Chunk {
    /// The text that is embedded, in the format that the models were trained on: a header line, then the code.
    pub fn embedding_text(&self) -> String {
        let parts =
            [Some(&self.language), Some(&self.path), self.parent_context.as_ref(), self.symbol.as_ref()];
        let mut text = String::with_capacity(self.content.len() + 128);
        for part in parts.into_iter().flatten().filter(|part| !part.is_empty()) {
            if !text.is_empty() {
                text.push_str(" | ");
            }
            text.push_str(part);
        }
        text.push('\n');
        text.push_str(&self.content);
        text
    }
}

/// `blake3`, hexadecimal.
pub fn content_hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk() -> Chunk {
        Chunk {
            path: "src/retry.ts".into(),
            span: Span { start_line: 1, end_line: 1, byte_start: 0, byte_end: 9 },
            symbol: Some("handleRetry".into()),
            kind: "method_definition".into(),
            further_kinds: Vec::new(),
            content: "retry() {}".into(),
            parent_context: Some("class Retry".into()),
            language: "typescript".into(),
            class: ContentClass::Code,
            is_test: false,
        }
    }

    #[test]
    fn embedding_text_has_every_known_part() {
        assert_eq!(
            chunk().embedding_text(),
            "typescript | src/retry.ts | class Retry | handleRetry\nretry() {}"
        );
    }

    #[test]
    fn embedding_text_leaves_absent_parts_out_with_their_separator() {
        let chunk = Chunk { parent_context: None, symbol: None, ..chunk() };
        assert_eq!(chunk.embedding_text(), "typescript | src/retry.ts\nretry() {}");
    }
}
