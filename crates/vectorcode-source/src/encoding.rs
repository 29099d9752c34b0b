//! Decodes the bytes of a file to text. All code that reads sources uses this decoder, so that the index agrees with what is
//! compared with it.

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";

/// A decoded text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The text without a byte order mark. It has as many line breaks as the file.
    pub text: String,
    /// Whether the bytes are not valid in any Unicode encoding.
    pub lossy: bool,
}

/// Decodes UTF-8 and, if there is a byte order mark, UTF-16. Bytes that are not valid UTF-8 are decoded as Windows-1252, the
/// usual encoding of Western text before Unicode and a superset of Latin-1's printable characters. This is done byte by byte,
/// so that one bad byte does not spoil the UTF-8 around it.
pub(crate) fn decode(mut bytes: Vec<u8>) -> Decoded {
    if let Some(encoding) = utf_16_encoding(&bytes) {
        let (text, lossy) = encoding.decode_with_bom_removal(&bytes);
        return Decoded { text: text.into_owned(), lossy };
    }
    if bytes.starts_with(UTF_8_MARK) {
        bytes.drain(..UTF_8_MARK.len());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Decoded { text, lossy: false },
        Err(error) => Decoded { text: with_windows_1252(error.as_bytes()), lossy: true },
    }
}

/// Whether [`decode`] returns the bytes unchanged.
pub(crate) fn is_plain_utf_8(bytes: &[u8]) -> bool {
    utf_16_encoding(bytes).is_none() && !bytes.starts_with(UTF_8_MARK) && std::str::from_utf8(bytes).is_ok()
}

/// Whether a file is binary, judged by its start. Text contains no zero bytes, except in UTF-16.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    match utf_16_encoding(head) {
        // UTF-32 begins like UTF-16, but contains zeros when decoded as such.
        Some(encoding) => encoding.decode_with_bom_removal(head).0.contains('\0'),
        None => head.contains(&0),
    }
}

fn utf_16_encoding(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    match bytes {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ => None,
    }
}

fn with_windows_1252(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for piece in bytes.utf8_chunks() {
        text.push_str(piece.valid());
        let (other, _): (Cow<'_, str>, bool) = WINDOWS_1252.decode_without_bom_handling(piece.invalid());
        text.push_str(&other);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(bytes: &[u8]) -> (String, bool) {
        let Decoded { text, lossy } = decode(bytes.to_vec());
        (text, lossy)
    }

    #[test]
    fn old_and_new_encodings_give_the_same_text() {
        let text = "// café €\nlet x = 1;\n";
        let utf_16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect()
        };
        assert_eq!(decoded(text.as_bytes()), (text.into(), false));
        assert_eq!(decoded(&[UTF_8_MARK, text.as_bytes()].concat()), (text.into(), false));
        assert_eq!(decoded(&utf_16(u16::to_le_bytes)), (text.into(), false));
        assert_eq!(decoded(&utf_16(u16::to_be_bytes)), (text.into(), false));
        assert_eq!(decoded(b"// caf\xe9 \x80\nlet x = 1;\n"), (text.into(), true));
    }

    #[test]
    fn one_bad_byte_spoils_nothing_else() {
        assert_eq!(decoded("größe \u{0}".replace('\0', "x").as_bytes()), ("größe x".into(), false));
        assert_eq!(decoded(b"gr\xc3\xb6\xc3\x9fe \xe9"), ("größe é".into(), true));
    }

    #[test]
    fn utf_16_of_odd_length_ends_with_a_replacement() {
        assert_eq!(decoded(b"\xff\xfea\0b"), ("a\u{fffd}".into(), true));
        assert_eq!(decoded(b"\xff\xfe"), (String::new(), false));
    }

    #[test]
    fn zeros_are_binary_except_in_utf_16() {
        assert!(is_binary(b"a\0b"));
        assert!(!is_binary(b"\xff\xfea\0b\0"));
        assert!(is_binary(b"\xff\xfe\0\0a\0\0\0"), "UTF-32");
        assert!(!is_binary(b""));
    }

    proptest! {
        #[test]
        fn lines_and_ascii_stay(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assume!(utf_16_encoding(&bytes).is_none());
            let text = decode(bytes.clone()).text;
            let ascii: Vec<u8> = text.bytes().filter(u8::is_ascii).collect();
            prop_assert_eq!(ascii, bytes.iter().copied().filter(u8::is_ascii).collect::<Vec<_>>());
        }

        #[test]
        fn utf8_is_decoded_as_it_is(text in ".{0,100}") {
            prop_assume!(!text.starts_with('\u{feff}'));
            prop_assert_eq!(decode(text.clone().into_bytes()).text, text);
        }
    }
}
