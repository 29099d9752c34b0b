//! Decides whether files of unknown type contain hand-written text or data.

use crate::encoding;

/// Number of bytes to inspect at the start of a file.
pub const PEEKED_BYTES: usize = 4096;
/// Larger files of unknown type are usually data.
pub const MAX_BYTES: u64 = 128 << 10;
/// A directory with more files of unknown type than this is a data set or the output of a program; none of them is indexed.
pub const MAX_PER_DIRECTORY: usize = 100;

/// Extensions of binary files, and of text that people neither read nor write, separated by spaces. They are not opened.
const DATA_EXTENSIONS: [&str; 5] = [
    // Images, sound, video, fonts
    "avif bmp cur eot eps flac gif hdr heic icns ico jpeg jpg m4a mkv mov mp3 mp4 ogg otf pdf png ppm psd svg tga tif tiff \
     ttc ttf wav webm webp woff woff2 xcf",
    // Archives, packages, disk images
    "7z apk bz2 deb dmg gz iso jar lz4 nupkg rar rpm tar tgz war whl xz zip zst",
    // Programs and their parts
    "a bin class com dll dylib elf exe hex lib o obj pdb pyc pyd pyo rlib rmeta so wasm",
    // Data, documents, models
    "arrow avro bson dat db doc docx feather glb gltf h5 hdf5 jsonl ldb mat mdb mid ndjson npy npz odt onnx parquet pb pkl \
     ply ppt pptx pt pth safetensors sqlite sqlite3 stl tfrecord xls xlsx",
    // Text that programs write: recorded outputs, translations, signatures
    "asc bak cer crt csr csv diff expected golden ll lock log map mo orig out output patch po pot rej sarif sig snap stderr \
     stdout sum swp tmp trace tsv xlf xliff",
];

/// Whether the name alone shows that a file is data.
pub fn is_data_name(name: &str) -> bool {
    let is_listed = |extension: &str| {
        let mut listed = DATA_EXTENSIONS.iter().flat_map(|group| group.split(' '));
        listed.any(|known| known.eq_ignore_ascii_case(extension))
    };
    name.ends_with('~') || name.rsplit_once('.').is_some_and(|(_, extension)| is_listed(extension))
}

/// Whether the start of a file looks like text: words separated by spaces, not numbers, keys or encoded bytes.
pub fn is_written_text(head: &[u8]) -> bool {
    if encoding::is_binary(head) {
        return false;
    }
    let text = encoding::decode(head.to_vec()).text;
    let mut counts = Counts::default();
    text.chars().for_each(|c| counts.add(c));
    counts.is_written()
}

#[derive(Default)]
struct Counts {
    all: usize,
    letters: usize,
    digits: usize,
    space: usize,
    /// Control characters, and replacements for bytes that are not text.
    control: usize,
}

impl Counts {
    fn add(&mut self, c: char) {
        self.all += 1;
        match c {
            c if c.is_whitespace() => self.space += 1,
            c if c.is_ascii_digit() => self.digits += 1,
            c if c.is_alphabetic() => self.letters += 1,
            c if c.is_control() || c == char::REPLACEMENT_CHARACTER => self.control += 1,
            _ => {}
        }
    }

    /// In source code and prose, one character in six is white space; in encoded data, one in seventy. A list of numbers has
    /// more digits than letters.
    fn is_written(&self) -> bool {
        self.letters > self.digits * 2
            && self.letters * 4 > self.all
            && self.space * 25 > self.all
            && self.control * 100 <= self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_data() {
        for text in [
            "[Unit]\nDescription=Retries what failed\n\n[Service]\nExecStart=/usr/bin/retry --all\n",
            "config RETRY\n\tbool \"Retry what failed\"\n\tdefault y\n",
            "Ein kurzer Text über Größen.\n",
            "def retry do\n  attempt 3\nend\n",
        ] {
            assert!(is_written_text(text.as_bytes()), "{text}");
        }
        let base64 =
            "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29y\n".repeat(9);
        let numbers = "12.5, 13.25, 99.1, 4\n".repeat(20);
        let hex = "00000010: 7f45 4c46 0201 0100 0000 0000 0000 0000\n".repeat(9);
        for data in
            [base64.as_bytes(), numbers.as_bytes(), hex.as_bytes(), b"", b"\x7fELF\0\0", b"\x01\x02\x03 abc"]
        {
            assert!(!is_written_text(data), "{:?}", String::from_utf8_lossy(data));
        }
    }

    #[test]
    fn names_of_data_are_known() {
        assert!(is_data_name("photo.JPG") && is_data_name("ui.stderr") && is_data_name("notes~"));
        assert!(!is_data_name("Kconfig") && !is_data_name("retry.service") && !is_data_name("a.b"));
    }
}
