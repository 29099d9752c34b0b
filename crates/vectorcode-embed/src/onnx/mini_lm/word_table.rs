//! The word table: a row of bytes for each token of the vocabulary, decoded on demand.
//!
//! The rows are Huffman-coded in the binary (`build/huffman.rs`), because the table is by far its largest part.

use std::array;

use super::prefix_code::{LONGEST_CODE, PrefixCode};
use super::{WIDTH, tensors};

/// Number of codes that always fit into one read of 64 bits. 57 of them are usable, because a code can begin at any bit of a
/// byte.
const CODES_PER_READ: usize = 4;
const ENTRIES: usize = 1 << LONGEST_CODE;

pub(super) struct WordTable {
    packed: &'static [u8],
    /// Where each row starts in `packed`.
    starts: Vec<u32>,
    /// Indexed by the next bits of a row: the byte whose code these bits begin with, and the length of the code.
    entries: Box<[(u8, u8); ENTRIES]>,
    scale: f32,
    zero: f32,
}

impl WordTable {
    pub(super) fn load(rows: usize) -> Result<Self, String> {
        let lengths = tensors::sized_bytes("we_packed_lengths", 2 * rows)?.as_chunks().0;
        let mut end = 0;
        let starts = lengths.iter().map(|length| {
            let start = end;
            end += u32::from(u16::from_le_bytes(*length));
            start
        });
        let code_lengths = tensors::bytes("we_code_lengths")?.try_into();
        let code = PrefixCode::new(code_lengths.map_err(|_| "the word table has no code for each byte")?);
        Ok(Self {
            starts: starts.collect(),
            packed: tensors::bytes("we_packed")?,
            entries: decoding_table(&code),
            scale: tensors::floats("we_scale", 1)?[0],
            zero: f32::from(tensors::byte("we_zero_point")?),
        })
    }

    pub(super) fn row(&self, id: usize) -> [f32; WIDTH] {
        self.row_bytes(id).map(|byte| (f32::from(byte) - self.zero) * self.scale)
    }

    fn row_bytes(&self, id: usize) -> [u8; WIDTH] {
        let packed = &self.packed[self.starts[id] as usize..];
        let mut row = [0; WIDTH];
        let mut at = 0;
        for values in row.as_chunks_mut::<CODES_PER_READ>().0 {
            let mut bits = read_bits(packed, at);
            for value in values {
                let (byte, length) = self.entries[bits as usize % ENTRIES];
                *value = byte;
                bits >>= length;
                at += usize::from(length);
            }
        }
        row
    }
}

/// At least 57 bits from bit `at` on, the first one in the lowest position, padded with zeros after the end.
fn read_bits(bytes: &[u8], at: usize) -> u64 {
    let rest = &bytes[at / 8..];
    let word = match rest.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => u64::from_le_bytes(array::from_fn(|place| rest.get(place).copied().unwrap_or(0))),
    };
    word >> (at % 8)
}

fn decoding_table(code: &PrefixCode) -> Box<[(u8, u8); ENTRIES]> {
    let mut entries = Box::new([(0, 0); ENTRIES]);
    for byte in 0..=u8::MAX {
        let (bits, length) = code.of(byte);
        if length > 0 {
            for entry in entries[usize::from(bits)..].iter_mut().step_by(1 << length) {
                *entry = (byte, length);
            }
        }
    }
    entries
}

#[cfg(test)]
#[path = "../../../build/onnx.rs"]
mod onnx;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::WORDS;
    use super::*;

    #[test]
    fn every_row_is_that_of_the_model_file() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/code-minilm-l4/model.onnx");
        let file = fs::read(path).unwrap();
        let tensors = onnx::Tensors::parse(&file).unwrap().into_bytes();
        let table = WordTable::load(WORDS).unwrap();
        for (id, row) in tensors["we_quantized"].chunks_exact(WIDTH).enumerate() {
            assert_eq!(table.row_bytes(id), row, "row {id}");
        }
        assert_eq!(table.starts.len(), tensors["we_quantized"].len() / WIDTH);
    }
}
