//! Reads one file: its text, its flags and its hash.

use vectorcode_core::{BlobId, SkipReason};

use super::resource_exhaustion::ResourceExhaustion;
use super::tree::Tree;
use crate::encoding;
use crate::generated::is_generated;
use crate::languages::Language;
use crate::source_text::SourceText;

/// Number of bytes at the start of a file that decide whether it is binary. Even, so that no UTF-16 unit is cut in half.
const SNIFFED_BYTES: usize = 8192;

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct FileContent {
    pub source: SourceText,
    /// Hash of the bytes on disk.
    pub hash: [u8; 32],
    /// The id that git gives to these bytes.
    pub blob: Option<BlobId>,
}

/// The maximum size of files to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct SizeLimit(u64);

impl SizeLimit {
    pub fn new(max_file_size: u64) -> Self {
        Self(max_file_size)
    }

    /// The maximum size of a file of this language.
    pub fn of(self, language: &Language) -> u64 {
        self.0.saturating_mul(language.size_factor)
    }
}

impl FileContent {
    /// Reads up to the limit. A longer file is reported as too large, even if it was smaller when it was found.
    pub(super) fn read(
        tree: &Tree,
        path: &str,
        language: &Language,
        limit: SizeLimit,
        exhaustion: &ResourceExhaustion,
    ) -> Result<Self, SkipReason> {
        let max_size = limit.of(language);
        let bytes = tree.read(path, max_size + 1).map_err(|error| {
            exhaustion.note(&error);
            tracing::debug!(path, %error, "cannot read file");
            SkipReason::Unreadable
        })?;
        let size = bytes.len() as u64;
        if size > max_size {
            return Err(SkipReason::TooLarge);
        }
        if is_binary_head(&bytes) {
            return Err(SkipReason::Binary);
        }
        let content = Self::of(language, bytes)?;
        // Notebooks have a higher limit because of their outputs. One that could not be parsed would keep those outputs in
        // its text.
        let is_bloated = size > limit.0 && content.source.flags.unparsed;
        if is_bloated { Err(SkipReason::TooLarge) } else { Ok(content) }
    }

    fn of(language: &Language, bytes: Vec<u8>) -> Result<Self, SkipReason> {
        let (hash, blob) = (blake3::hash(&bytes).into(), BlobId::of(&bytes));
        let mut source = SourceText::decode(language, bytes);
        if source.masked_bytes * 2 > source.text.len() {
            // Mostly secret values, such as a private key in a file whose name does not suggest one.
            return Err(SkipReason::Secret);
        }
        source.flags.generated = is_generated(source.text.as_bytes());
        Ok(Self { source, hash, blob })
    }
}

/// Returns false for a file that cannot be read.
pub(super) fn is_binary(tree: &Tree, path: &str) -> bool {
    tree.read(path, SNIFFED_BYTES as u64).is_ok_and(|bytes| is_binary_head(&bytes))
}

fn is_binary_head(bytes: &[u8]) -> bool {
    encoding::is_binary(&bytes[..bytes.len().min(SNIFFED_BYTES)])
}

#[cfg(test)]
mod tests {
    use vectorcode_core::FileFlags;

    use super::*;
    use crate::languages::by_name;

    fn content(bytes: &[u8]) -> FileContent {
        FileContent::of(by_name("rust").unwrap(), bytes.to_vec()).unwrap()
    }

    #[test]
    fn latin_1_is_decoded_and_flagged() {
        let content = content(b"// caf\xe9\nlet x = 1;\n");
        assert!(content.source.flags.lossy);
        assert_eq!(content.source.text, "// café\nlet x = 1;\n");
    }

    #[test]
    fn carriage_returns_stay_and_a_byte_order_mark_goes() {
        let bytes = b"\xef\xbb\xbflet x;\r\nlet y;\r\n";
        let content = content(bytes);
        assert_eq!(content.source.text, "let x;\r\nlet y;\r\n");
        assert_eq!(content.source.flags, FileFlags::default());
        assert_eq!(content.hash, *blake3::hash(bytes).as_bytes());
    }

    #[test]
    fn secrets_of_utf_16_are_masked() {
        let text =
            format!("\u{feff}token = ghp_{}\nconst RETRIES: usize = 3;\nfn run() {{}}\n", "Q7b".repeat(12));
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let content = content(&bytes);
        assert_eq!(content.source.masked_secrets, 1);
        assert!(content.source.text.starts_with(&format!("token = ghp_{}\n", "*".repeat(36))));
    }
}
