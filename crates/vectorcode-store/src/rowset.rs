//! A set of chunk rows as a bitmap.

#[derive(Clone, Debug, Default)]
pub(crate) struct RowSet {
    bits: Vec<u64>,
}

impl RowSet {
    pub fn insert(&mut self, row: i64) {
        let (word, bit) = place(row);
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= bit;
    }

    pub fn contains(&self, row: i64) -> bool {
        let (word, bit) = place(row);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    pub fn len(&self) -> usize {
        self.bits.iter().map(|bits| bits.count_ones() as usize).sum()
    }
}

impl FromIterator<i64> for RowSet {
    fn from_iter<I: IntoIterator<Item = i64>>(rows: I) -> Self {
        let mut set = Self::default();
        rows.into_iter().for_each(|row| set.insert(row));
        set
    }
}

fn place(row: i64) -> (usize, u64) {
    ((row / 64) as usize, 1 << (row % 64))
}
