//! A compact copy of one stage's vectors in memory, and the exact search over it. It is
//! bounded by memory bandwidth; a scan of the table takes ten times as long.

#![expect(
    clippy::inline_always,
    reason = "what is not inlined into the scan is not compiled for its processor"
)]

use super::quantize;
use crate::contract::ChunkRow;
use crate::sqlite::row_bitmap::RowBitmap;
use crate::sqlite::top_k::TopK;

/// Says in [`VectorMatrix::slots`] that a row has no vector.
const NO_SLOT: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct VectorMatrix {
    dimensions: usize,
    /// The vectors, one after the other.
    data: Vec<i8>,
    /// For each vector: its row.
    rows: Vec<i64>,
    /// For each vector: one over its length.
    inverse_norms: Vec<f32>,
    /// For each row id: the place of its vector.
    slots: Vec<u32>,
}

/// A query in the form in which it is compared with many vectors.
#[derive(Debug)]
pub(crate) struct QueryVector {
    values: Vec<i16>,
    inverse_norm: f32,
}

impl QueryVector {
    pub fn new(vector: &[f32]) -> Self {
        let values = quantize::to_int16(vector);
        let inverse_norm = quantize::inverse_norm_i16(&values);
        Self { values, inverse_norm }
    }

    pub fn dimensions(&self) -> usize {
        self.values.len()
    }
}

impl VectorMatrix {
    pub fn with_capacity(dimensions: usize, vectors: usize) -> Self {
        Self {
            dimensions,
            data: Vec::with_capacity(vectors * dimensions),
            rows: Vec::with_capacity(vectors),
            inverse_norms: Vec::with_capacity(vectors),
            slots: Vec::new(),
        }
    }

    /// Adds or replaces the vector of `row`, which is at most `MAX_ROW` and has as many bytes as dimensions.
    pub fn insert(&mut self, row: i64, vector: &[u8]) {
        if let Some(slot) = self.slot(row) {
            let place = &mut self.data[slot * self.dimensions..][..self.dimensions];
            place.iter_mut().zip(vector).for_each(|(old, new)| *old = new.cast_signed());
            self.inverse_norms[slot] = quantize::inverse_norm(place);
            return;
        }
        let start = self.data.len();
        self.data.extend(vector.iter().map(|byte| byte.cast_signed()));
        self.inverse_norms.push(quantize::inverse_norm(&self.data[start..]));
        self.set_slot(row, self.rows.len() as u32);
        self.rows.push(row);
    }

    /// Removes the vector of `row`, moving the last one into its place.
    pub fn remove(&mut self, row: i64) {
        let Some(slot) = self.slot(row) else { return };
        let last = self.rows.len() - 1;
        self.data.copy_within(last * self.dimensions.., slot * self.dimensions);
        self.data.truncate(last * self.dimensions);
        self.rows.swap_remove(slot);
        self.inverse_norms.swap_remove(slot);
        self.slots[row as usize] = NO_SLOT;
        if let Some(moved) = self.rows.get(slot) {
            self.slots[*moved as usize] = slot as u32;
        }
    }

    fn slot(&self, row: i64) -> Option<usize> {
        let slot = *self.slots.get(usize::try_from(row).ok()?)?;
        (slot != NO_SLOT).then_some(slot as usize)
    }

    fn set_slot(&mut self, row: i64, slot: u32) {
        let place = row as usize;
        if place >= self.slots.len() {
            self.slots.resize(place + 1, NO_SLOT);
        }
        self.slots[place] = slot;
    }

    #[inline(always)]
    fn vector(&self, slot: usize) -> &[i8] {
        &self.data[slot * self.dimensions..][..self.dimensions]
    }

    #[inline(always)]
    fn score(&self, probe: &QueryVector, slot: usize) -> f32 {
        dot(self.vector(slot), &probe.values) as f32 * self.inverse_norms[slot] * probe.inverse_norm
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// For each of `rows`: how near it is in direction; `None` where it has no vector.
    pub fn similarities(&self, probe: &QueryVector, rows: &[ChunkRow]) -> Vec<Option<f32>> {
        pulp::Arch::new().dispatch(Comparison { matrix: self, probe, rows })
    }

    /// The `k` vectors nearest in direction, among the allowed rows.
    pub fn nearest(&self, probe: &QueryVector, allowed: Option<&RowBitmap>, k: usize) -> TopK {
        pulp::Arch::new().dispatch(Scan { matrix: self, probe, allowed, k })
    }
}

/// A look at some vectors, compiled like [`Scan`].
struct Comparison<'c> {
    matrix: &'c VectorMatrix,
    probe: &'c QueryVector,
    rows: &'c [ChunkRow],
}

impl pulp::WithSimd for Comparison<'_> {
    type Output = Vec<Option<f32>>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Vec<Option<f32>> {
        let mut similarities = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            similarities.push(self.matrix.slot(row.0).map(
                #[inline(always)]
                |slot| self.matrix.score(self.probe, slot),
            ));
        }
        similarities
    }
}

/// A walk over all vectors. It is compiled for every processor, for those with AVX2, which are three times as fast at it,
/// and for those with AVX-512, which are four times as fast; the choice is made when it runs.
struct Scan<'s> {
    matrix: &'s VectorMatrix,
    probe: &'s QueryVector,
    allowed: Option<&'s RowBitmap>,
    k: usize,
}

impl pulp::WithSimd for Scan<'_> {
    type Output = TopK;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> TopK {
        let mut best = TopK::new(self.k);
        for (slot, row) in self.matrix.rows.iter().enumerate() {
            if self.allowed.is_none_or(|allowed| allowed.contains(*row)) {
                best.offer(ChunkRow(*row), self.matrix.score(self.probe, slot));
            }
        }
        best
    }
}

/// Written so that the compiler turns it into multiply-and-add instructions.
#[inline(always)]
fn dot(vector: &[i8], query: &[i16]) -> i32 {
    vector.iter().zip(query).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::top_k::Scored;

    fn matrix(vectors: &[(i64, Vec<f32>)]) -> VectorMatrix {
        let mut matrix = VectorMatrix::with_capacity(4, vectors.len());
        for (row, vector) in vectors {
            matrix.insert(*row, &quantize::as_blob(&quantize::to_int8(vector)));
        }
        matrix
    }

    fn best(found: TopK) -> Vec<Scored> {
        found.into_sorted(|_| Ok::<_, std::convert::Infallible>(())).unwrap()
    }

    fn rows(found: &[Scored]) -> Vec<i64> {
        found.iter().map(|scored| scored.row.0).collect()
    }

    #[test]
    fn the_same_direction_scores_one_and_the_opposite_minus_one() {
        let matrix = matrix(&[(1, vec![0.5, 0.5, 0.0, 0.0]), (2, vec![-9.0, -9.0, 0.0, 0.0])]);
        let found = best(matrix.nearest(&QueryVector::new(&[1.0, 1.0, 0.0, 0.0]), None, 5));
        assert_eq!(rows(&found), [1, 2]);
        assert!((found[0].score - 1.0).abs() < 1e-4 && (found[1].score + 1.0).abs() < 1e-4);
    }

    #[test]
    fn a_removed_row_is_gone_and_the_moved_one_is_found() {
        let mut matrix =
            matrix(&[(1, vec![1.0; 4]), (7, vec![1.0, 0.0, 0.0, 0.0]), (9, vec![0.0, 1.0, 0.0, 0.0])]);
        matrix.remove(1);
        matrix.remove(1);
        let probe = QueryVector::new(&[0.0, 1.0, 0.0, 0.0]);
        assert_eq!(rows(&best(matrix.nearest(&probe, None, 5))), [9, 7]);
        let similarities = matrix.similarities(&probe, &[ChunkRow(1), ChunkRow(9)]);
        assert!(similarities[0].is_none() && similarities[1].unwrap() > 0.99);
    }
}
