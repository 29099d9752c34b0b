//! The bundled static model `code-static-192`: a table with a vector for each word. The vector of a text is the mean of the
//! vectors of its words.
//!
//! It makes an index searchable within seconds, so nothing here allocates while a text is embedded. `models/README.md` describes
//! the files.

use std::sync::LazyLock;

use rten_simd::{Isa, SimdOp};
use vectorcode_core::words::for_each_word;

use crate::vector::normalise;

const WORDS: &str = include_str!("../models/code-static-192/words.txt");
pub(crate) static TABLE: &[u8] = include_bytes!("../models/code-static-192/table.u4");
const SCALES: &[u8] = include_bytes!("../models/code-static-192/scales.f32");

const ROW_BYTES: usize = StaticModel::DIMENSIONS / 2;
const LISTED_WORDS: usize = 40_000;
const HASH_ROWS: usize = 8_192;
const MAX_WORD_CHARS: usize = 24;
const MAX_NUMBER_CHARS: usize = 4;
const MAX_WINDOWS: usize = 6;
/// Three times the number of words, so that most lookups need only one slot.
const SLOTS: usize = 1 << 17;
const EMPTY: u32 = u32::MAX;
/// Rows are looked up and added in batches of this size, because alternating between the two is slower.
const ROWS_AT_ONCE: usize = 64;

/// A word in lower case, truncated to `MAX_WORD_CHARS` and padded with zeros, so that equal words are equal arrays.
type Key = [u8; MAX_WORD_CHARS];

/// The word table with its hash table. The only instance is [`StaticModel::bundled`].
#[derive(Debug)]
pub struct StaticModel {
    keys: Vec<Key>,
    /// The rows of `keys`, in a hash table with linear probing.
    slots: Vec<u32>,
    scales: Vec<f32>,
}

impl StaticModel {
    pub const DIMENSIONS: usize = 192;
    pub const NAME: &str = "code-static-192";

    /// The model in the binary. The first call builds the hash table, which takes about a millisecond.
    pub fn bundled() -> &'static Self {
        static MODEL: LazyLock<StaticModel> = LazyLock::new(StaticModel::load);
        &MODEL
    }

    fn load() -> Self {
        let keys: Vec<Key> = WORDS.lines().map(|word| key(word.as_bytes())).collect();
        let mut slots = vec![EMPTY; SLOTS];
        for (row, key) in keys.iter().enumerate() {
            let mut slot = first_slot(key);
            while slots[slot] != EMPTY {
                slot = next_slot(slot);
            }
            slots[slot] = row as u32;
        }
        let scales = SCALES.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Self { keys, slots, scales }
    }

    /// Writes the unit vector of `text` to `vector`. Returns false if the text has no words; `vector` is meaningless then.
    pub fn embed_into(&self, text: &str, vector: &mut [f32; Self::DIMENSIONS]) -> bool {
        let mut sum = RowSum::default();
        let mut rows = [0; ROWS_AT_ONCE];
        let mut count = 0;
        self.for_each_row(text, |row| {
            rows[count] = row;
            count += 1;
            if count == ROWS_AT_ONCE {
                sum.add(&rows, &self.scales);
                count = 0;
            }
        });
        sum.add(&rows[..count], &self.scales);
        sum.write(vector);
        normalise(vector)
    }

    fn for_each_row(&self, text: &str, mut each: impl FnMut(usize)) {
        for_each_word(text, |word| {
            // The model was trained on ASCII words; the hash rows of other words would add noise.
            if !word.is_ascii() {
                return;
            }
            let word = word.as_bytes();
            if word[0].is_ascii_digit() && word.len() > MAX_NUMBER_CHARS {
                return;
            }
            let key = key(word);
            match self.listed_row(&key) {
                Some(row) => each(row),
                None => for_each_hash_row(&key[..word.len().min(MAX_WORD_CHARS)], &mut each),
            }
        });
    }

    fn listed_row(&self, key: &Key) -> Option<usize> {
        let mut slot = first_slot(key);
        loop {
            match self.slots[slot] {
                EMPTY => return None,
                row if self.keys[row as usize] == *key => return Some(row as usize),
                _ => slot = next_slot(slot),
            }
        }
    }
}

fn key(word: &[u8]) -> Key {
    let mut key = [0; MAX_WORD_CHARS];
    for (to, from) in key.iter_mut().zip(word) {
        *to = from.to_ascii_lowercase();
    }
    key
}

fn first_slot(key: &Key) -> usize {
    let mixed = key.as_chunks().0.iter().fold(0_u64, |hash, part| {
        let mixed = (hash ^ u64::from_le_bytes(*part)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 32)
    });
    mixed as usize % SLOTS
}

fn next_slot(slot: usize) -> usize {
    (slot + 1) % SLOTS
}

/// The rows of a word that is not listed: one for each window of four characters, at most `MAX_WINDOWS`.
fn for_each_hash_row(word: &[u8], mut each: impl FnMut(usize)) {
    let mut marked = [0; MAX_WORD_CHARS + 2];
    let marked = &mut marked[..word.len() + 2];
    marked[0] = b'<';
    marked[1..=word.len()].copy_from_slice(word);
    marked[word.len() + 1] = b'>';
    for window in marked.windows(4).take(MAX_WINDOWS) {
        each(LISTED_WORDS + crc32fast::hash(window) as usize % HASH_ROWS);
    }
}

/// A running sum of rows. The low and high nibbles of the table are summed separately, and the offset of 8 is subtracted at the
/// end, so that adding a row is a plain loop over bytes.
struct RowSum {
    low: [f32; ROW_BYTES],
    high: [f32; ROW_BYTES],
    scale: f32,
}

impl Default for RowSum {
    fn default() -> Self {
        Self { low: [0.0; ROW_BYTES], high: [0.0; ROW_BYTES], scale: 0.0 }
    }
}

impl RowSum {
    fn add(&mut self, rows: &[usize], scales: &[f32]) {
        AddRows { sum: self, rows, scales }.dispatch();
    }

    fn write(&self, vector: &mut [f32; StaticModel::DIMENSIONS]) {
        let offset = 8.0 * self.scale;
        for ((pair, low), high) in vector.as_chunks_mut().0.iter_mut().zip(&self.low).zip(&self.high) {
            *pair = [low - offset, high - offset];
        }
    }
}

/// [`RowSum::add`], compiled for the widest SIMD vectors of the processor.
struct AddRows<'a> {
    sum: &'a mut RowSum,
    rows: &'a [usize],
    scales: &'a [f32],
}

impl SimdOp for AddRows<'_> {
    type Output = ();

    // Only code that is inlined into `SimdOp::dispatch` is compiled for the instruction set that it detects.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let RowSum { low, high, scale: scale_sum } = self.sum;
        for row in self.rows {
            let bytes = &TABLE[row * ROW_BYTES..][..ROW_BYTES];
            let scale = self.scales[*row];
            for ((low, high), byte) in low.iter_mut().zip(high.iter_mut()).zip(bytes) {
                *low += f32::from(byte & 15) * scale;
                *high += f32::from(byte >> 4) * scale;
            }
            *scale_sum += scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<usize> {
        let mut rows = Vec::new();
        StaticModel::bundled().for_each_row(text, |row| rows.push(row));
        rows
    }

    #[test]
    fn every_listed_word_finds_its_own_row() {
        let model = StaticModel::bundled();
        assert_eq!(model.keys.len(), LISTED_WORDS);
        assert_eq!(model.scales.len(), LISTED_WORDS + HASH_ROWS);
        assert_eq!(TABLE.len(), model.scales.len() * ROW_BYTES);
        for (row, word) in WORDS.lines().enumerate() {
            assert_eq!(model.listed_row(&key(word.as_bytes())), Some(row), "{word}");
        }
    }

    #[test]
    fn an_unlisted_word_gives_at_most_six_hash_rows() {
        assert_eq!(rows("zqxj").len(), 3);
        assert_eq!(rows(&"zqxj".repeat(8)).len(), MAX_WINDOWS);
        assert!(rows("zqxj").iter().all(|row| *row >= LISTED_WORDS));
    }

    #[test]
    fn long_words_are_cut_and_long_numbers_left_out() {
        let long = "abcdefghijklmnopqrstuvwxyzabc";
        assert_eq!(rows(long), rows(&long[..MAX_WORD_CHARS]));
        assert!(rows("12345").is_empty());
        assert_eq!(rows("1234").len(), rows("x1234").len() - 1);
    }

    #[test]
    fn a_text_without_words_has_no_vector() {
        let mut vector = [0.0; StaticModel::DIMENSIONS];
        assert!(!StaticModel::bundled().embed_into("{ ∑ } 123456", &mut vector));
        assert!(StaticModel::bundled().embed_into("word", &mut vector));
    }
}
