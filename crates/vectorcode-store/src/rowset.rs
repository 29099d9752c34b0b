//! A set of chunk rows as a bitmap: what a filter allows.

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
}

fn place(row: i64) -> (usize, u64) {
    ((row / 64) as usize, 1 << (row % 64))
}
