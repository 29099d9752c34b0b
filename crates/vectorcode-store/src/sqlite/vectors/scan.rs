//! A pass over the codes of all vectors, which leaves the few that have to be compared exactly.
//!
//! The `k` nearest are found in three steps. Codes give an estimate of every similarity and its error. The vectors with the
//! best `2k` estimates are compared exactly; the `k`-th best of them is a similarity that the true `k`-th best cannot be
//! below. Then all others are compared whose estimate could still be above it, within some standard deviations. What is
//! returned are exact similarities; that a vector is missed needs an error beyond these on the wrong side.

#![expect(
    clippy::inline_always,
    reason = "what is not inlined into the scan is not compiled for its processor"
)]

use super::QueryVector;
use super::code::{CodeLayout, Estimate};
use super::scan_block::ScanBlock;
use crate::contract::ChunkRow;
use crate::sqlite::row_bitmap::RowBitmap;
use crate::sqlite::top_k::TopK;

/// Errors are normally distributed: one in 160 lies beyond this many standard deviations on one side, and of these only the
/// vectors are missed that are hardly nearer than the last that is wanted. With three deviations a seventh more vectors are
/// read for the same recall.
const DEVIATIONS: f32 = 2.5;
/// The same for signs alone, which decide over more vectors. Of the 300 nearest of 250,000 static vectors, 40 questions found
/// 0.9978 with 2 deviations (0.070 of all looked at more closely), 0.9992 with these (0.089), 0.9996 with 2.5 (0.111).
pub(super) const SIGN_DEVIATIONS: f32 = 2.25;
/// Estimates are kept for this many times the vectors that are asked for.
const DEPTH: usize = 2;
/// So many vectors are kept before those are dropped that have become hopeless since.
const FIRST_PRUNING: usize = 8192;

impl Estimate {
    #[inline(always)]
    fn upper_bound(self, deviations: f32) -> f32 {
        self.value + deviations * self.error
    }
}

/// Which vectors are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'w> {
    pub allowed: Option<&'w RowBitmap>,
    pub k: usize,
}

/// One pass for several queries.
#[derive(Debug)]
pub(crate) struct Scan<'s> {
    layout: CodeLayout,
    allowed: Option<&'s RowBitmap>,
    shortlists: Vec<Shortlist<'s>>,
}

impl<'s> Scan<'s> {
    pub fn new(layout: CodeLayout, queries: &[&'s QueryVector], wanted: Wanted<'s>) -> Self {
        let shortlists = queries.iter().map(|query| Shortlist::new(query, wanted.k)).collect();
        Self { layout, allowed: wanted.allowed, shortlists }
    }

    pub fn add(&mut self, block: &ScanBlock) {
        let Scan { layout, allowed, shortlists } = self;
        for shortlist in shortlists {
            let lanes = block.reaching(&shortlist.query.code.signs, *allowed, shortlist.estimates.least());
            if lanes != 0 {
                counting_bits(
                    #[inline(always)]
                    || shortlist.consider_lanes(layout, block, lanes),
                );
                shortlist.prune_where_due();
            }
        }
    }

    /// One for each query, in their order.
    pub fn into_shortlists(self) -> Vec<Shortlist<'s>> {
        self.shortlists
    }
}

/// Runs `work` compiled for processors with an instruction that counts bits, and for others where there is none.
///
/// Not for AVX2 and AVX-512: the compiler would then count with tables in wide registers, which for the planes of one vector
/// takes two to six times as long.
#[inline(always)]
fn counting_bits(work: impl FnOnce()) {
    #[cfg(target_arch = "x86_64")]
    if let Some(processor) = pulp::x86::V2::try_new() {
        return processor.vectorize(work);
    }
    work();
}

/// The vectors that could be among the best for one query.
#[derive(Debug)]
pub(crate) struct Shortlist<'s> {
    pub query: &'s QueryVector,
    /// The best estimates. What cannot reach the least of them is not kept.
    estimates: TopK,
    kept: Vec<Kept>,
    next_pruning: usize,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    row: ChunkRow,
    estimate: f32,
    upper_bound: f32,
}

impl<'s> Shortlist<'s> {
    fn new(query: &'s QueryVector, k: usize) -> Self {
        let estimates = TopK::new(k.saturating_mul(DEPTH));
        Self { query, estimates, kept: Vec::new(), next_pruning: FIRST_PRUNING }
    }

    #[inline(always)]
    fn consider_lanes(&mut self, layout: &CodeLayout, block: &ScanBlock, lanes: u64) {
        for (lane, row) in block.rows(lanes) {
            let (signs, rest) = (block.sign_words(lane), block.rest(layout, lane));
            let estimate = self.query.code.by_levels(layout, signs, rest);
            let upper_bound = estimate.upper_bound(DEVIATIONS);
            if upper_bound >= self.estimates.least() {
                let row = ChunkRow(row);
                self.estimates.offer(row, estimate.value);
                self.kept.push(Kept { row, estimate: estimate.value, upper_bound });
            }
        }
    }

    fn prune_where_due(&mut self) {
        if self.kept.len() >= self.next_pruning {
            self.prune();
            self.next_pruning = (self.kept.len() * 2).max(FIRST_PRUNING);
        }
    }

    /// Adds what another scan for the same query kept.
    pub fn merge(&mut self, other: Self) {
        for kept in &other.kept {
            self.estimates.offer(kept.row, kept.estimate);
        }
        self.kept.extend(other.kept);
    }

    fn prune(&mut self) {
        let least = self.estimates.least();
        self.kept.retain(|kept| kept.upper_bound >= least);
    }

    /// The best `k` by `similarities`, which answers for each row how near it is, or nothing for one that has no vector.
    ///
    /// Which rows are compared depends on the vectors alone, not on the order in which they were scanned.
    pub fn best<E>(
        mut self,
        k: usize,
        mut similarities: impl FnMut(&[ChunkRow]) -> Result<Vec<Option<f32>>, E>,
    ) -> Result<TopK, E> {
        self.prune();
        let least = self.estimates.least();
        let (first, others): (Vec<Kept>, Vec<Kept>) =
            self.kept.into_iter().partition(|kept| kept.estimate >= least);
        let mut best = TopK::new(k);
        let mut compare = |kept: Vec<Kept>, best: &mut TopK| {
            let rows: Vec<ChunkRow> = kept.iter().map(|kept| kept.row).collect();
            let similarities = similarities(&rows)?;
            let found = rows.into_iter().zip(similarities);
            found.for_each(|(row, near)| near.into_iter().for_each(|near| best.offer(row, near)));
            Ok(())
        };
        compare(first, &mut best)?;
        let bar = best.least().max(least);
        compare(others.into_iter().filter(|kept| kept.upper_bound >= bar).collect(), &mut best)?;
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};
    use std::convert::Infallible;

    use vectorcode_core::quantize;
    use vectorcode_testkit::SplitMix64;

    use super::*;
    use crate::sqlite::top_k::Scored;
    use crate::sqlite::vectors::block::{Block, BlockChanges, block_of};

    const DIMENSIONS: usize = 96;

    /// Vectors around some centres, as those of real texts are.
    fn vectors(count: usize) -> Vec<Vec<i8>> {
        let mut random = SplitMix64(20);
        let mut number = move || random.unit() as f32 + random.unit() as f32 - 1.0;
        let mut direction = move || (0..DIMENSIONS).map(|_| number()).collect::<Vec<f32>>();
        let centres: Vec<Vec<f32>> = (0..40).map(|_| direction()).collect();
        let near = |place: usize, noise: &[f32]| {
            let centre = &centres[place * place % centres.len()];
            let mixed: Vec<f32> = centre.iter().zip(noise).map(|(a, b)| a + 0.9 * b).collect();
            quantize::to_int8(&mixed)
        };
        (0..count).map(|place| near(place, &direction())).collect()
    }

    fn blocks(layout: &CodeLayout, vectors: &[Vec<i8>]) -> BTreeMap<i64, ScanBlock> {
        let mut blocks: BTreeMap<i64, BlockChanges> = BTreeMap::new();
        for (place, vector) in vectors.iter().enumerate() {
            let row = place as i64 + 1;
            blocks.entry(block_of(row)).or_default().set(row, Some(layout.encode(vector)));
        }
        let scanned = |(id, changes): (i64, BlockChanges)| {
            let bytes = changes.apply(layout, None)?;
            Some((id, ScanBlock::new(layout, &Block::parse(layout, id, &bytes).unwrap(), SIGN_DEVIATIONS)))
        };
        blocks.into_iter().filter_map(scanned).collect()
    }

    fn rows(best: TopK) -> Vec<Scored> {
        best.into_sorted(|_| Ok::<_, Infallible>(())).unwrap()
    }

    #[test]
    fn a_scan_of_codes_finds_what_a_comparison_with_all_vectors_finds() {
        let (layout, vectors, k) = (CodeLayout::of(DIMENSIONS), vectors(20_000), 100);
        let blocks = blocks(&layout, &vectors);
        let (mut compared, mut found, mut asked) = (0, 0, 0);
        for query in vectors.iter().step_by(997) {
            let query = QueryVector::new(&quantize::to_unit_f32(query));
            let similarity = |row: &ChunkRow| {
                let vector = &vectors[row.0 as usize - 1];
                Some(query.similarity(vector, quantize::inverse_norm(vector)))
            };
            // Two scans of a half each, as on two threads.
            let mut halves = [(); 2].map(|()| Scan::new(layout, &[&query], Wanted { allowed: None, k }));
            for (id, block) in &blocks {
                halves[*id as usize % 2].add(block);
            }
            let [mut shortlist, other] = halves.map(|half| half.into_shortlists().remove(0));
            shortlist.merge(other);
            let mut all = TopK::new(k);
            for row in (1..=vectors.len() as i64).map(ChunkRow) {
                all.offer(row, similarity(&row).unwrap());
            }
            let all: HashSet<ChunkRow> = rows(all).into_iter().map(|scored| scored.row).collect();
            let best = shortlist.best(k, |rows| {
                compared += rows.len();
                Ok::<_, Infallible>(rows.iter().map(similarity).collect())
            });
            found += rows(best.unwrap()).iter().filter(|scored| all.contains(&scored.row)).count();
            asked += k;
        }
        assert!(found as f32 >= 0.995 * asked as f32, "{found} of {asked}");
        assert!(compared < asked * 20, "{compared} comparisons for {asked}");
    }

    #[test]
    fn few_vectors_are_all_compared() {
        let (layout, vectors) = (CodeLayout::of(DIMENSIONS), vectors(50));
        let query = QueryVector::new(&quantize::to_unit_f32(&vectors[7]));
        let allowed: RowBitmap = (1..=50).filter(|row| row % 2 == 0).collect();
        let mut scan = Scan::new(layout, &[&query], Wanted { allowed: Some(&allowed), k: 30 });
        for block in blocks(&layout, &vectors).values() {
            scan.add(block);
        }
        let mut compared = Vec::new();
        let best = scan.into_shortlists().remove(0).best(30, |rows| {
            compared.extend(rows.iter().map(|row| row.0));
            Ok::<_, Infallible>(vec![Some(0.5); rows.len()])
        });
        compared.sort_unstable();
        assert_eq!(compared, (1..=50).filter(|row| row % 2 == 0).collect::<Vec<i64>>());
        assert_eq!(rows(best.unwrap()).len(), 25);
    }
}
