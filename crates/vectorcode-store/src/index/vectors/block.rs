//! The codes of 64 neighbouring rows in one blob, as stored in the table.
//!
//! A mask says which of the rows have a vector (the lowest bit is the first row). Then come the sign records of those rows, then
//! their other records: a scan reads all of the first part (as a `ScanSegment`) and little of the second. With the bundled models
//! a block has 7,176 bytes, which fit into a database page.

use std::collections::BTreeMap;

use super::code::{Code, CodeLayout};
use crate::index::corrupt::{Corrupt, DecodeResult};
use crate::index::row_bitmap::MAX_ROW;

/// As many rows as a word of `RowBitmap` has bits.
pub(super) const ROWS: i64 = 64;
const MASK_BYTES: usize = 8;

/// The block that contains a row.
pub(crate) fn block_of(row: i64) -> i64 {
    row / ROWS
}

/// A decoded and checked block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'b> {
    pub id: i64,
    /// The rows that have a vector, lowest bit first.
    pub mask: u64,
    pub signs: &'b [u8],
    pub rest: &'b [u8],
}

impl<'b> Block<'b> {
    pub fn parse(layout: &CodeLayout, id: i64, bytes: &'b [u8]) -> DecodeResult<Self> {
        let (mask, records) = bytes.split_first_chunk::<MASK_BYTES>().ok_or(Corrupt)?;
        let mask = u64::from_le_bytes(*mask);
        let rows = mask.count_ones() as usize;
        let is_sound = (0..=block_of(MAX_ROW)).contains(&id)
            && records.len() == rows * (layout.sign_bytes() + layout.rest_bytes());
        if !is_sound {
            return Err(Corrupt);
        }
        let (signs, rest) = records.split_at(rows * layout.sign_bytes());
        Ok(Self { id, mask, signs, rest })
    }

    /// Each row with its two records.
    pub fn rows(&self, layout: &CodeLayout) -> impl Iterator<Item = (i64, &'b [u8], &'b [u8])> {
        let first = self.id * ROWS;
        let records =
            self.signs.chunks_exact(layout.sign_bytes()).zip(self.rest.chunks_exact(layout.rest_bytes()));
        SetBits(self.mask)
            .zip(records)
            .map(move |(slot, (signs, rest))| (first + i64::from(slot), signs, rest))
    }
}

/// The indices of the set bits, lowest first.
pub(super) struct SetBits(pub u64);

impl Iterator for SetBits {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let slot = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (slot < u64::BITS).then_some(slot)
    }
}

/// The changes that a transaction makes to a block: for each row, its new code, or `None` if it is removed.
#[derive(Debug, Default)]
pub(crate) struct BlockChanges(BTreeMap<i64, Option<Code>>);

impl BlockChanges {
    pub fn set(&mut self, row: i64, code: Option<Code>) {
        self.0.insert(row, code);
    }

    /// The block after these changes; `None` if it is then empty.
    pub fn apply(&self, layout: &CodeLayout, old: Option<Block<'_>>) -> Option<Vec<u8>> {
        let mut records: BTreeMap<i64, (&[u8], &[u8])> = BTreeMap::new();
        if let Some(old) = &old {
            records.extend(old.rows(layout).map(|(row, signs, rest)| (row, (signs, rest))));
        }
        for (row, code) in &self.0 {
            match code {
                Some(code) => records.insert(*row, (&code.signs, &code.rest)),
                None => records.remove(row),
            };
        }
        let mask = records.keys().fold(0_u64, |mask, row| mask | 1 << (row % ROWS));
        let mut bytes = mask.to_le_bytes().to_vec();
        for (signs, _) in records.values() {
            bytes.extend_from_slice(signs);
        }
        for (_, rest) in records.values() {
            bytes.extend_from_slice(rest);
        }
        (mask != 0).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows_of(layout: &CodeLayout, id: i64, bytes: &[u8]) -> Vec<(i64, Code)> {
        let block = Block::parse(layout, id, bytes).unwrap();
        let code = |(row, signs, rest): (i64, &[u8], &[u8])| {
            (row, Code { signs: signs.to_vec(), rest: rest.to_vec() })
        };
        block.rows(layout).map(code).collect()
    }

    proptest! {
        #[test]
        fn a_block_holds_what_was_set_and_not_removed(
            changes in prop::collection::vec((640_i64..704, any::<Option<i8>>()), 0..40),
            split in 0_usize..40,
        ) {
            let layout = CodeLayout::of(8);
            let code = |seed: i8| layout.encode(&[seed, 1, 2, 3, 4, 5, 6, 7]);
            let mut expected = BTreeMap::new();
            let mut bytes: Option<Vec<u8>> = None;
            for part in [&changes[..split.min(changes.len())], &changes[split.min(changes.len())..]] {
                let mut block = BlockChanges::default();
                for (row, seed) in part {
                    block.set(*row, seed.map(code));
                    match seed {
                        Some(seed) => expected.insert(*row, code(*seed)),
                        None => expected.remove(row),
                    };
                }
                let old = bytes.take();
                bytes = block.apply(&layout, old.as_deref().map(|old| Block::parse(&layout, 10, old).unwrap()));
            }
            let found = bytes.map_or_else(Vec::new, |bytes| rows_of(&layout, 10, &bytes));
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn bytes_of_any_kind_are_a_block_or_damage(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let layout = CodeLayout::of(8);
            if let Ok(block) = Block::parse(&layout, 3, &bytes) {
                prop_assert!(block.rows(&layout).all(|(row, ..)| block_of(row) == 3));
            }
        }
    }
}
