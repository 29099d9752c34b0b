//! Reads one file: its text, its flags and its hash.

use std::io::{self, Read};
use std::path::Path;

use vectorcode_core::{FileFlags, Links, SkipReason, open_regular_file};

use super::generated::is_generated;
use super::secrets;

/// Number of bytes at the start of a file that are checked for a zero byte.
const SNIFFED_BYTES: usize = 8192;
/// Average line length, in bytes, from which a file counts as minified.
const MINIFIED_LINE: usize = 500;

/// The text of a file. It has the same length as the file, so an offset into one is an offset into the other. For
/// this reason a byte order mark is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContent {
    pub text: String,
    /// All flags except `test`, which the parser sets because it depends on the language.
    pub flags: FileFlags,
    /// Hash of the bytes on disk.
    pub hash: [u8; 32],
    /// How many keys and tokens were masked in the text.
    pub masked_secrets: usize,
}

impl FileContent {
    /// Reads at most `max_size` bytes. A longer file is reported as too large, even if it was smaller when it was
    /// found.
    pub(super) fn read(path: &Path, max_size: u64) -> Result<Self, SkipReason> {
        let bytes = read_bytes(path, max_size + 1).map_err(|error| {
            tracing::debug!(path = %path.display(), %error, "cannot read file");
            SkipReason::Unreadable
        })?;
        if bytes.len() as u64 > max_size {
            return Err(SkipReason::TooLarge);
        }
        if has_zero(&bytes) {
            return Err(SkipReason::Binary);
        }
        Self::of(bytes)
    }

    fn of(mut bytes: Vec<u8>) -> Result<Self, SkipReason> {
        let hash = blake3::hash(&bytes).into();
        let secrets = secrets::secrets(&bytes);
        if secrets::mask(&mut bytes, &secrets) * 2 > bytes.len() {
            // Mostly secret values, such as a private key in a file whose name does not suggest one.
            return Err(SkipReason::Secret);
        }
        let mut flags = FileFlags {
            generated: is_generated(&bytes),
            minified: is_minified(&bytes),
            ..FileFlags::default()
        };
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            flags.lossy = true;
            decode(error.as_bytes())
        });
        Ok(Self { text, flags, hash, masked_secrets: secrets.len() })
    }
}

/// Decodes to text of the same length as `bytes`. Each byte that is not valid UTF-8 becomes one `?`, so that offsets
/// stay valid.
pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for piece in bytes.utf8_chunks() {
        text.push_str(piece.valid());
        text.extend(piece.invalid().iter().map(|_| '?'));
    }
    text
}

/// Returns false for a file that cannot be read.
pub(super) fn is_binary(path: &Path) -> bool {
    read_bytes(path, SNIFFED_BYTES as u64).is_ok_and(|bytes| has_zero(&bytes))
}

fn has_zero(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(SNIFFED_BYTES)].contains(&0)
}

fn read_bytes(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Discovery saw a regular file at this path, but it may have been replaced since.
    let file = open_regular_file(path, Links::Refuse)?;
    let size = file.metadata()?.len().min(limit);
    let mut bytes = Vec::with_capacity(size as usize + 1);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_minified(bytes: &[u8]) -> bool {
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|&byte| byte == b'\n').count();
    bytes.len() > lines * MINIFIED_LINE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn latin_1_is_flagged_and_keeps_its_offsets() {
        let content = FileContent::of(b"// caf\xe9\nlet x = 1;\n".to_vec()).unwrap();
        assert!(content.flags.lossy);
        assert_eq!(content.text, "// caf?\nlet x = 1;\n");
    }

    #[test]
    fn a_byte_order_mark_and_carriage_returns_stay() {
        let bytes = b"\xef\xbb\xbflet x;\r\nlet y;\r\n";
        let content = FileContent::of(bytes.to_vec()).unwrap();
        assert_eq!(content.text.as_bytes(), bytes);
        assert_eq!(content.flags, FileFlags::default());
        assert_eq!(content.hash, *blake3::hash(bytes).as_bytes());
    }

    #[test]
    fn long_lines_on_average_are_minified() {
        assert!(is_minified("x".repeat(501).as_bytes()));
        assert!(is_minified(format!("{}\n", "x".repeat(501)).as_bytes()));
        assert!(!is_minified("x".repeat(500).as_bytes()));
        assert!(!is_minified(format!("{}\nshort\n", "x".repeat(900)).as_bytes()));
        assert!(!is_minified(b""));
    }

    proptest! {
        #[test]
        fn decoding_keeps_the_length_and_every_ascii_byte(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let text = decode(&bytes);
            prop_assert_eq!(text.len(), bytes.len());
            for (at, byte) in bytes.iter().enumerate().filter(|(_, byte)| byte.is_ascii()) {
                prop_assert_eq!(text.as_bytes()[at], *byte);
            }
        }

        #[test]
        fn utf8_is_decoded_as_it_is(text in ".{0,100}") {
            prop_assert_eq!(decode(text.as_bytes()), text);
        }
    }
}
