//! The text of a file, as it is indexed, displayed, highlighted and compared with the disk.

use serde::{Deserialize, Serialize};
use vectorcode_core::FileFlags;

use crate::encoding;
use crate::languages::{Language, Structure};
use crate::minified::is_minified;
use crate::parts::{Notebook, Part, parts_of};
use crate::secrets;

/// A decoded file. Line numbers are those of the file. Byte offsets refer to this text; they differ from the file's if it is
/// not UTF-8, has a byte order mark, or is a notebook.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SourceText {
    pub text: String,
    /// All flags except `generated` and `test`, which need more than the text.
    pub flags: FileFlags,
    /// How many keys and tokens were masked in the text.
    pub masked_secrets: usize,
    /// Total length in bytes of what was masked.
    pub(crate) masked_bytes: usize,
    /// The parts of a file that contains several languages. Empty for other files.
    pub(crate) parts: Vec<Part>,
}

impl SourceText {
    /// Wraps a text that does not come from a file or is already decoded.
    pub fn new(language: &Language, text: String) -> Self {
        let parts = parts_of(language, &text);
        let flags = FileFlags::default();
        Self { text, flags, masked_secrets: 0, masked_bytes: 0, parts }
    }

    /// Whether [`Self::decode`] certainly returns these bytes unchanged. This is true for nearly every file.
    pub fn is_verbatim(language: &Language, bytes: &[u8]) -> bool {
        !matches!(language.structure, Structure::Notebook)
            && encoding::is_plain_utf_8(bytes)
            && !secrets::may_hold_secrets(bytes)
    }

    /// Decodes the bytes of a file and masks the secrets in it. Never fails, and returns the same text for the same bytes.
    pub fn decode(language: &Language, bytes: Vec<u8>) -> Self {
        let decoded = encoding::decode(bytes);
        let notebook = match language.structure {
            Structure::Notebook => Some(Notebook::read(&decoded.text)),
            _ => None,
        };
        let (text, parts, unparsed) = match notebook {
            Some(Some(notebook)) => (notebook.text, Some(notebook.cells), notebook.is_dense),
            Some(None) => (decoded.text, None, true),
            None => (decoded.text, None, false),
        };
        let is_notebook = parts.is_some();
        let masked = secrets::masked(text);
        let minified = !is_notebook && is_minified(&masked.text, language.class);
        let (lossy, is_masked) = (decoded.lossy, masked.values > 0);
        let flags = FileFlags { lossy, unparsed, minified, masked: is_masked, ..FileFlags::default() };
        Self {
            parts: parts.unwrap_or_else(|| parts_of(language, &masked.text)),
            text: masked.text,
            flags,
            masked_secrets: masked.values,
            masked_bytes: masked.bytes,
        }
    }
}
