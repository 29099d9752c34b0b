//! The encoding of a posting list: the number of postings, then for each posting the distance from the previous row (a
//! variable-length integer), its weight and the length of its chunk. The length is stored in the list because a separate table of
//! lengths would be read at random positions, once for every posting.

use crate::index::varint;

/// The occurrences of a word in one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    pub row: i64,
    /// The weights of all occurrences together, in halves: see `PATH_WEIGHT` and its neighbours in [`super::file_terms`].
    pub weight: u8,
    /// The number of words in the chunk, on the scale of [`Length`].
    pub length: Length,
}

/// The length of a chunk in one byte: the logarithm to base 2, in eighths. Ranking cannot tell it from the exact length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Length(pub u8);

impl Length {
    pub fn of(words: u32) -> Self {
        Self((8.0 * f64::from(words + 1).log2()).round().min(255.0) as u8)
    }

    pub fn words(self) -> f32 {
        (f32::from(self.0) / 8.0).exp2() - 1.0
    }
}

/// Encodes a posting list.
#[derive(Debug, Default)]
pub(crate) struct PostingEncoder {
    bytes: Vec<u8>,
    count: u64,
    last_row: i64,
}

impl PostingEncoder {
    /// Rows must be in ascending order.
    pub fn push(&mut self, posting: Posting) {
        varint::push(&mut self.bytes, (posting.row - self.last_row) as u64);
        self.bytes.push(posting.weight);
        self.bytes.push(posting.length.0);
        self.last_row = posting.row;
        self.count += 1;
    }

    /// The encoded list, or `None` if it is empty. Resets the encoder.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        let mut list = Vec::with_capacity(self.bytes.len() + 4);
        varint::push(&mut list, self.count);
        list.extend_from_slice(&self.bytes);
        let empty = self.count == 0;
        (self.count, self.last_row) = (0, 0);
        self.bytes.clear();
        (!empty).then_some(list)
    }
}

/// Decodes a posting list.
#[derive(Debug)]
pub(crate) struct PostingList<'b> {
    /// The number at the start of the list: how many postings were written. In a damaged list it may be any number.
    pub count: u64,
    bytes: &'b [u8],
    last_row: i64,
}

impl<'b> PostingList<'b> {
    pub fn new(mut bytes: &'b [u8]) -> Self {
        let count = varint::take(&mut bytes).unwrap_or_default();
        Self { count, bytes, last_row: 0 }
    }
}

impl Iterator for PostingList<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        let distance = varint::take(&mut self.bytes)?;
        let ([weight, length], rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        // A damaged list may contain any number; such rows do not exist.
        self.last_row = self.last_row.wrapping_add(distance.cast_signed());
        Some(Posting { row: self.last_row, weight: *weight, length: Length(*length) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_list_is_read_as_it_was_written(
            steps in prop::collection::vec((1_i64..100_000, any::<u8>(), any::<u8>()), 0..50),
        ) {
            let mut row = 0;
            let postings: Vec<Posting> = steps
                .into_iter()
                .map(|(step, weight, length)| {
                    row += step;
                    Posting { row, weight, length: Length(length) }
                })
                .collect();
            let mut encoder = PostingEncoder::default();
            for posting in &postings {
                encoder.push(*posting);
            }
            let list = encoder.finish().unwrap_or_default();
            prop_assert_eq!(PostingList::new(&list).count, postings.len() as u64);
            prop_assert_eq!(PostingList::new(&list).collect::<Vec<_>>(), postings);
        }

        #[test]
        fn damaged_bytes_end_the_list(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            prop_assert!(PostingList::new(&bytes).count() <= bytes.len());
        }

        #[test]
        fn lengths_are_kept_within_a_tenth(words in 0_u32..1_000_000) {
            let kept = Length::of(words).words();
            prop_assert!((kept - words as f32).abs() <= 0.1 * words as f32 + 0.1);
        }
    }
}
