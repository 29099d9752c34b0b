//! A set of chunk rows, as a bitmap.

use super::corrupt::{Corrupt, DecodeResult};
use super::varint;

/// The highest row id for which memory is allocated. An index that was edited so often that its ids exceed this is rebuilt, like
/// one whose ids are damaged.
pub(crate) const MAX_ROW: i64 = 1 << 24;

/// A row id read from the database, if it is valid.
pub(crate) fn checked_row(row: i64) -> DecodeResult<i64> {
    if (1..=MAX_ROW).contains(&row) { Ok(row) } else { Err(Corrupt) }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RowBitmap {
    bits: Vec<u64>,
}

impl RowBitmap {
    /// All rows from 1 to `last`.
    pub fn up_to(last: i64) -> Self {
        let words = (last.cast_unsigned() / 64 + 1) as usize;
        let mut set = Self { bits: vec![u64::MAX; words] };
        set.bits[0] &= !1;
        set
    }

    /// The rows in ascending order, delta-encoded.
    pub fn pack(&self) -> Vec<u8> {
        let (mut bytes, mut last) = (Vec::new(), 0);
        for row in self.iter() {
            varint::push(&mut bytes, (row - last).cast_unsigned());
            last = row;
        }
        bytes
    }

    /// Decodes the output of [`Self::pack`].
    pub fn unpack(mut bytes: &[u8]) -> Option<Self> {
        let (mut set, mut last) = (Self::default(), 0_i64);
        while !bytes.is_empty() {
            last = last.checked_add_unsigned(varint::take(&mut bytes)?)?;
            set.insert(checked_row(last).ok()?);
        }
        Some(set)
    }

    pub fn iter(&self) -> impl Iterator<Item = i64> {
        let words = self.bits.iter().enumerate().filter(|(_, bits)| **bits != 0);
        words.flat_map(|(word, bits)| {
            let rows = move |bit: &i64| bits & (1 << bit) != 0;
            (0..64).filter(rows).map(move |bit| word as i64 * 64 + bit)
        })
    }

    pub fn add_all(&mut self, other: &Self) {
        if other.bits.len() > self.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        for (bits, added) in self.bits.iter_mut().zip(&other.bits) {
            *bits |= added;
        }
    }

    /// `row` must be at most [`MAX_ROW`].
    pub fn insert(&mut self, row: i64) {
        let (word, bit) = place(row);
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= bit;
    }

    pub fn remove(&mut self, row: i64) {
        let (word, bit) = place(row);
        if let Some(bits) = self.bits.get_mut(word) {
            *bits &= !bit;
        }
    }

    pub fn contains(&self, row: i64) -> bool {
        let (word, bit) = place(row);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    pub fn len(&self) -> usize {
        self.bits.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|bits| *bits == 0)
    }
}

impl FromIterator<i64> for RowBitmap {
    fn from_iter<I: IntoIterator<Item = i64>>(rows: I) -> Self {
        let mut set = Self::default();
        rows.into_iter().for_each(|row| set.insert(row));
        set
    }
}

fn place(row: i64) -> (usize, u64) {
    let row = row.cast_unsigned();
    ((row / 64) as usize, 1 << (row % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_set_is_the_same_again() {
        let rows = [1, 2, 63, 64, 65, 1_000, 70_000];
        let set: RowBitmap = rows.into_iter().collect();
        let again = RowBitmap::unpack(&set.pack()).unwrap();
        assert!(again.iter().eq(rows));
        assert!(RowBitmap::unpack(&[0]).is_none() && RowBitmap::unpack(&[0x80]).is_none());
        assert_eq!(RowBitmap::up_to(130).iter().take_while(|row| *row <= 130).count(), 130);
    }
}
