//! A set of chunk rows as a bitmap.

use super::damage::{Checked, Damage};

/// Memory by row id is asked for up to here. An index that was edited so often that its ids go beyond is built again,
/// like one whose ids are damaged.
pub(crate) const MAX_ROW: i64 = 1 << 24;

/// A row id that was read from the database, if it can be one.
pub(crate) fn checked_row(row: i64) -> Checked<i64> {
    if (1..=MAX_ROW).contains(&row) { Ok(row) } else { Err(Damage) }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RowBitmap {
    bits: Vec<u64>,
}

impl RowBitmap {
    /// Rows are at most [`MAX_ROW`].
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
