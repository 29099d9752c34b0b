//! A block of codes turned for scanning: byte `n` of the sign planes of 32 rows side by side, so that one instruction works on
//! all of them.
//!
//! Rows without a vector take no lane: lanes are the rows of the mask, in their order.

#![expect(
    clippy::inline_always,
    reason = "what is not inlined into the scan is not compiled for its processor"
)]

use super::block::{Block, ROWS, SetBits};
use super::code::{CodeLayout, words};
use super::sign_tables::{LANES, LaneFactors, SignTables};
use crate::sqlite::row_bitmap::RowBitmap;

/// Of a word: rows and bytes that are turned at once.
const SIDE: usize = 8;

#[derive(Debug)]
pub(crate) struct ScanBlock {
    id: i64,
    mask: u64,
    plane_bytes: usize,
    /// For each group of lanes: the bytes of its planes.
    signs: Box<[[u8; LANES]]>,
    factors: Box<[LaneFactors]>,
    rest: Box<[u8]>,
}

impl ScanBlock {
    /// A sign estimate may err by `deviations` of its standard deviation.
    pub fn new(layout: &CodeLayout, block: &Block<'_>, deviations: f32) -> Self {
        let records: Vec<&[u8]> = block.signs.chunks_exact(layout.sign_bytes()).collect();
        let plane_bytes = layout.plane_bytes();
        let groups = records.chunks(LANES);
        let mut signs = vec![[0; LANES]; groups.len() * plane_bytes].into_boxed_slice();
        for (group, turned) in groups.clone().zip(signs.chunks_exact_mut(plane_bytes)) {
            turn(group, turned);
        }
        Self {
            id: block.id,
            mask: block.mask,
            plane_bytes,
            signs,
            factors: groups.map(|group| lane_factors(group, deviations)).collect(),
            rest: block.rest.into(),
        }
    }

    /// The lanes whose estimate by signs could reach `bar`, and whose rows are allowed: the lowest bit is the first lane.
    pub fn reaching(&self, query: &SignTables, allowed: Option<&RowBitmap>, bar: f32) -> u64 {
        let allowed = allowed.map_or(u64::MAX, |rows| rows.word(self.id));
        if self.mask & allowed == 0 {
            return 0;
        }
        let groups = self.signs.chunks_exact(self.plane_bytes).zip(&self.factors);
        let lanes = groups.enumerate().fold(0, |lanes, (group, (planes, factors))| {
            lanes | u64::from(query.reaching(planes, factors, bar)) << (group * LANES)
        });
        if self.mask & !allowed == 0 { lanes } else { lanes & self.lanes_of(allowed) }
    }

    /// The lanes of these rows.
    fn lanes_of(&self, rows: u64) -> u64 {
        let of_lane = SetBits(self.mask).enumerate();
        of_lane.fold(0, |lanes, (lane, slot)| lanes | (rows >> slot & 1) << lane)
    }

    /// Lanes with their rows, in their order.
    pub fn rows(&self, lanes: u64) -> impl Iterator<Item = (usize, i64)> {
        let first = self.id * ROWS;
        let (mut slots, mut passed) = (self.mask, 0);
        let lanes = lanes & u64::MAX.checked_shr(u64::BITS - self.mask.count_ones()).unwrap_or(0);
        SetBits(lanes).map(move |lane| {
            for _ in passed..lane {
                slots &= slots.wrapping_sub(1);
            }
            passed = lane;
            (lane as usize, first + i64::from(slots.trailing_zeros()))
        })
    }

    /// The words of the sign plane of a lane.
    #[inline(always)]
    pub fn sign_words(&self, lane: usize) -> impl Iterator<Item = u64> {
        let first = lane / LANES * self.plane_bytes;
        let planes = &self.signs[first..first + self.plane_bytes];
        planes
            .as_chunks::<SIDE>()
            .0
            .iter()
            .map(move |bytes| u64::from_le_bytes(std::array::from_fn(|byte| bytes[byte][lane % LANES])))
    }

    /// The record of the other planes of a lane.
    #[inline(always)]
    pub fn rest(&self, layout: &CodeLayout, lane: usize) -> &[u8] {
        &self.rest[lane * layout.rest_bytes()..(lane + 1) * layout.rest_bytes()]
    }
}

/// Puts byte `n` of each record's plane into `turned[n]`, one record a lane.
fn turn(records: &[&[u8]], turned: &mut [[u8; LANES]]) {
    for (octet, records) in records.chunks(SIDE).enumerate() {
        let mut planes = records.iter().map(|record| words(CodeLayout::read_signs(record).2));
        let mut planes: [_; SIDE] = std::array::from_fn(|_| planes.next());
        for bytes in turned.as_chunks_mut::<SIDE>().0 {
            let rows = planes.each_mut().map(|plane| plane.as_mut().and_then(Iterator::next).unwrap_or(0));
            for (byte, column) in bytes.iter_mut().zip(transpose(rows)) {
                byte[octet * SIDE..(octet + 1) * SIDE].copy_from_slice(&column.to_le_bytes());
            }
        }
    }
}

/// Byte `n` of word `m` becomes byte `m` of word `n`: quarters change places, then quarters of them.
fn transpose(mut words: [u64; SIDE]) -> [u64; SIDE] {
    for (distance, mask) in
        [(4, 0x0000_0000_ffff_ffff), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)]
    {
        let bits = 8 * distance;
        for first in (0..SIDE).filter(|place| place & distance == 0) {
            let (one, other) = (words[first], words[first + distance]);
            words[first] = one & mask | (other & mask) << bits;
            words[first + distance] = one >> bits & mask | other & !mask;
        }
    }
    words
}

fn lane_factors(records: &[&[u8]], deviations: f32) -> LaneFactors {
    let mut lanes = LaneFactors::default();
    for (lane, record) in records.iter().enumerate() {
        let (scale, error, _) = CodeLayout::read_signs(record);
        (lanes.scales[lane], lanes.margins[lane]) = (scale, deviations * error);
    }
    lanes
}

#[cfg(test)]
mod tests {
    use vectorcode_testkit::SplitMix64;

    use super::*;
    use crate::sqlite::vectors::block::BlockChanges;

    #[test]
    fn a_lane_has_the_signs_and_planes_of_its_row() {
        let mut random = SplitMix64(9);
        for dimensions in [8, 192, 384] {
            let layout = CodeLayout::of(dimensions);
            let vectors: Vec<(i64, Vec<i8>)> = (640..704)
                .filter(|row| row % 3 != 0)
                .map(|row| (row, (0..dimensions).map(|_| random.next_u64() as i8).collect()))
                .collect();
            let mut changes = BlockChanges::default();
            for (row, vector) in &vectors {
                changes.set(*row, Some(layout.encode(vector)));
            }
            let bytes = changes.apply(&layout, None).unwrap();
            let block = ScanBlock::new(&layout, &Block::parse(&layout, 10, &bytes).unwrap(), 2.0);
            let rows: Vec<(usize, i64)> = block.rows(u64::MAX).collect();
            assert_eq!(rows.len(), vectors.len());
            for ((lane, row), (expected, vector)) in rows.into_iter().zip(&vectors) {
                let code = layout.encode(vector);
                let signs: Vec<u64> = words(CodeLayout::read_signs(&code.signs).2).collect();
                assert_eq!(
                    (row, lane),
                    (*expected, vectors.iter().position(|(row, _)| row == expected).unwrap())
                );
                assert_eq!(block.sign_words(lane).collect::<Vec<_>>(), signs);
                assert_eq!(block.rest(&layout, lane), code.rest);
            }
            let allowed: RowBitmap = (650..660).collect();
            let query = SignTables::new(&vec![100; dimensions], 0.001);
            let reached = block.reaching(&query, Some(&allowed), f32::MIN);
            let reached: Vec<i64> = block.rows(reached).map(|(_, row)| row).collect();
            assert_eq!(reached, (650..660).filter(|row| row % 3 != 0).collect::<Vec<i64>>());
        }
    }
}
