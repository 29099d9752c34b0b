//! Transposes codes for scanning: byte `n` of a plane of 32 rows lies side by side, so that one instruction processes all of
//! them.
//!
//! The rows of a few blocks share a segment, where everything that a scan reads is contiguous: with one allocation per block, a
//! scan spent half of its time waiting for memory. Rows that have a vector fill the lanes in order, regardless of their block,
//! because an index that was edited for a long time has blocks with few rows left.

use super::block::Block;
use super::code::{CodeLayout, words};
use super::plane_tables::{LANES, LaneFactors};
use crate::index::row_bitmap::RowBitmap;

/// Errors are normally distributed: one in 160 exceeds this many standard deviations on one side, and of these only vectors are
/// missed that are hardly more similar than the last result. With three deviations, a seventh more vectors are read for the same
/// recall.
const DEVIATIONS: f32 = 2.5;
/// The same for signs alone, which are decisive for more vectors. For the 300 nearest of 250,000 static vectors, recall over 40
/// queries was 0.9978 with 2 deviations (0.070 of all vectors passed to the second comparison), 0.9992 with 2.25 (0.089), and
/// 0.9996 with 2.5 (0.111).
const SIGN_DEVIATIONS: f32 = 2.25;
/// The side of the square of bytes that is transposed at once: eight rows of one word each.
const SIDE: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct ScanSegment {
    /// The row of each lane. Row ids were checked to be small when the blocks were read.
    rows: Vec<u32>,
    /// For each group of lanes, the bytes of its sign planes.
    signs: Vec<[u8; LANES]>,
    sign_factors: Vec<LaneFactors>,
    /// For each group of lanes, the bytes of its other planes.
    levels: Vec<[u8; LANES]>,
    level_factors: Vec<LaneFactors>,
}

/// A group of lanes that are compared at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScanGroup<'s> {
    pub rows: &'s [u32],
    pub signs: &'s [[u8; LANES]],
    pub sign_factors: &'s LaneFactors,
    pub levels: &'s [[u8; LANES]],
    pub level_factors: &'s LaneFactors,
}

impl ScanSegment {
    /// The number of vectors.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn groups(&self) -> impl Iterator<Item = ScanGroup<'_>> {
        let count = self.sign_factors.len().max(1);
        let (sign_bytes, level_bytes) = (self.signs.len() / count, self.levels.len() / count);
        let factors = self.sign_factors.iter().zip(&self.level_factors);
        let groups = self.rows.chunks(LANES).zip(factors).enumerate();
        groups.map(move |(group, (rows, (sign_factors, level_factors)))| ScanGroup {
            rows,
            signs: &self.signs[group * sign_bytes..(group + 1) * sign_bytes],
            sign_factors,
            levels: &self.levels[group * level_bytes..(group + 1) * level_bytes],
            level_factors,
        })
    }
}

impl ScanGroup<'_> {
    /// The lanes that have an allowed row; the lowest bit is the first lane.
    pub fn lanes(&self, allowed: Option<&RowBitmap>) -> u32 {
        let Some(allowed) = allowed else { return u32::MAX >> (LANES - self.rows.len()) };
        let rows = self.rows.iter().enumerate();
        rows.fold(0, |lanes, (lane, row)| lanes | u32::from(allowed.contains((*row).into())) << lane)
    }
}

/// Transposes blocks as they are read.
#[derive(Debug)]
pub(crate) struct SegmentBuilder {
    layout: CodeLayout,
    segment: ScanSegment,
    /// The records of a group that is not full yet.
    signs: Vec<u8>,
    levels: Vec<u8>,
}

impl SegmentBuilder {
    pub fn new(layout: CodeLayout) -> Self {
        Self { layout, segment: ScanSegment::default(), signs: Vec::new(), levels: Vec::new() }
    }

    /// Blocks must be in ascending order.
    pub fn push(&mut self, block: &Block<'_>) {
        let layout = self.layout;
        for (row, signs, levels) in block.rows(&layout) {
            self.segment.rows.push(row as u32);
            self.signs.extend_from_slice(signs);
            self.levels.extend_from_slice(levels);
            if self.segment.rows.len().is_multiple_of(LANES) {
                self.turn_group();
            }
        }
    }

    pub fn finish(mut self) -> ScanSegment {
        if !self.signs.is_empty() {
            self.turn_group();
        }
        let ScanSegment { rows, signs, sign_factors, levels, level_factors } = &mut self.segment;
        rows.shrink_to_fit();
        signs.shrink_to_fit();
        sign_factors.shrink_to_fit();
        levels.shrink_to_fit();
        level_factors.shrink_to_fit();
        self.segment
    }

    fn turn_group(&mut self) {
        let (signs, levels) = (self.layout.sign_bytes(), self.layout.rest_bytes());
        let segment = &mut self.segment;
        segment.sign_factors.push(transpose_group(&self.signs, signs, SIGN_DEVIATIONS, &mut segment.signs));
        segment.level_factors.push(transpose_group(&self.levels, levels, DEVIATIONS, &mut segment.levels));
        self.signs.clear();
        self.levels.clear();
    }
}

/// Appends, for each `n`, byte `n` of the planes of all records, one record per lane. The margin of an estimate is `deviations`
/// times its standard deviation.
fn transpose_group(
    records: &[u8],
    record_bytes: usize,
    deviations: f32,
    turned: &mut Vec<[u8; LANES]>,
) -> LaneFactors {
    let mut factors = LaneFactors::default();
    let mut planes: [&[u8]; LANES] = [&[]; LANES];
    for (lane, record) in records.chunks_exact(record_bytes).enumerate() {
        let (scale, error, bytes) = CodeLayout::read_record(record);
        (factors.scales[lane], factors.margins[lane]) = (scale, deviations * error);
        planes[lane] = bytes;
    }
    let first = turned.len();
    turned.resize(first + planes[0].len(), [0; LANES]);
    for (octet, planes) in planes.as_chunks::<SIDE>().0.iter().enumerate() {
        let mut planes = planes.map(words);
        for bytes in turned[first..].as_chunks_mut::<SIDE>().0 {
            let rows = planes.each_mut().map(|plane| plane.next().unwrap_or(0));
            for (byte, column) in bytes.iter_mut().zip(transpose(rows)) {
                byte[octet * SIDE..(octet + 1) * SIDE].copy_from_slice(&column.to_le_bytes());
            }
        }
    }
    factors
}

/// Transposes 8 by 8 bytes: byte `n` of word `m` becomes byte `m` of word `n`. Swaps quarters, then quarters of those.
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

#[cfg(test)]
mod tests {
    use vectorcode_testkit::SplitMix64;

    use super::*;
    use crate::index::vectors::block::{BlockChanges, block_of};
    use crate::index::vectors::code::Code;

    /// The rows from 640 to 800 that are not divisible by 3. They span three blocks.
    fn codes(layout: &CodeLayout) -> Vec<(i64, Code)> {
        let mut random = SplitMix64(9);
        let mut vector = || (0..layout.dimensions).map(|_| random.next_u64() as i8).collect::<Vec<_>>();
        (640..800).filter(|row| row % 3 != 0).map(|row| (row, layout.encode(&vector()))).collect()
    }

    fn segment(layout: &CodeLayout, codes: &[(i64, Code)]) -> ScanSegment {
        let mut builder = SegmentBuilder::new(*layout);
        for codes in codes.chunk_by(|one, other| block_of(one.0) == block_of(other.0)) {
            let mut changes = BlockChanges::default();
            for (row, code) in codes {
                changes.set(*row, Some(code.clone()));
            }
            let bytes = changes.apply(layout, None).unwrap();
            builder.push(&Block::parse(layout, block_of(codes[0].0), &bytes).unwrap());
        }
        builder.finish()
    }

    #[test]
    fn a_lane_has_the_planes_of_its_row_whichever_block_it_is_of() {
        for dimensions in [8, 192, 384] {
            let layout = CodeLayout::of(dimensions);
            let codes = codes(&layout);
            let segment = segment(&layout, &codes);
            assert_eq!(segment.len(), codes.len());
            let mut expected = codes.iter();
            for group in segment.groups() {
                assert_eq!(group.lanes(None).count_ones() as usize, group.rows.len());
                for (lane, row) in group.rows.iter().enumerate() {
                    let (expected, code) = expected.next().unwrap();
                    let plane = |turned: &[[u8; LANES]]| -> Vec<u8> {
                        turned.iter().map(|bytes| bytes[lane]).collect()
                    };
                    assert_eq!(i64::from(*row), *expected);
                    assert_eq!(plane(group.signs), CodeLayout::read_record(&code.signs).2);
                    assert_eq!(plane(group.levels), CodeLayout::read_record(&code.rest).2);
                }
            }
            assert!(expected.next().is_none());
        }
    }

    #[test]
    fn lanes_of_rows_that_are_not_allowed_are_left_out() {
        let layout = CodeLayout::of(8);
        let segment = segment(&layout, &codes(&layout));
        let allowed: RowBitmap = (690..720).collect();
        let rows = segment.groups().flat_map(|group| {
            let lanes = group.lanes(Some(&allowed));
            group.rows.iter().enumerate().filter(move |(lane, _)| lanes >> lane & 1 == 1).map(|(_, row)| *row)
        });
        assert_eq!(rows.collect::<Vec<u32>>(), (690..720).filter(|row| row % 3 != 0).collect::<Vec<u32>>());
    }
}
