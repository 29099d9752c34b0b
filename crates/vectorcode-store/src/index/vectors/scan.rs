//! A scan over the codes of all vectors. It leaves a shortlist of the few that have to be compared exactly.
//!
//! There is no HNSW graph or other approximate index. A scan takes a few milliseconds for 100,000 chunks, an edit only writes the
//! blocks of its rows, filters cost nothing, and the result does not depend on the order in which chunks were added.
//!
//! Codes give an estimate of every similarity with its error, and thus an upper bound within a number of standard deviations.
//! Vectors are compared exactly in the order of their upper bounds, until the `k`-th best exact similarity exceeds the next upper
//! bound. The results are exact similarities; a vector is missed only if its error exceeds that number of deviations on the wrong
//! side.

use std::cmp::Ordering;

use super::QueryVector;
use super::block::SetBits;
use super::plane_tables::SignPass;
use super::scan_segment::{ScanGroup, ScanSegment};
use super::score_floor::ScoreFloor;
use crate::contract::ChunkRow;
use crate::index::row_bitmap::RowBitmap;
use crate::index::top_k::TopK;

/// Estimates are kept for this many times `k` vectors.
const DEPTH: usize = 2;
/// The shortlist is first pruned when it has this many vectors. Pruning drops those that can no longer be among the best.
const FIRST_PRUNING: usize = 8192;
/// After the first `k`, vectors are compared exactly in batches of `k` divided by this, as long as the next could be among the
/// best.
const PARTS: usize = 8;

/// Which vectors to return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'w> {
    pub allowed: Option<&'w RowBitmap>,
    pub k: usize,
}

/// One pass over the codes for several queries.
#[derive(Debug)]
pub(crate) struct Scan<'s> {
    allowed: Option<&'s RowBitmap>,
    shortlists: Vec<Shortlist<'s>>,
}

impl<'s> Scan<'s> {
    pub fn new(queries: &[&'s QueryVector], wanted: Wanted<'s>) -> Self {
        let shortlists = queries.iter().map(|query| Shortlist::new(query, wanted.k)).collect();
        Self { allowed: wanted.allowed, shortlists }
    }

    pub fn add(&mut self, segment: &ScanSegment) {
        for shortlist in &mut self.shortlists {
            for group in segment.groups() {
                shortlist.compare_signs(&group, group.lanes(self.allowed));
            }
            shortlist.prune_where_due();
        }
    }

    /// One for each query, in order.
    pub fn into_shortlists(self) -> Vec<Shortlist<'s>> {
        self.shortlists
    }
}

/// The vectors that could be among the best for one query.
#[derive(Debug)]
pub(crate) struct Shortlist<'s> {
    pub query: &'s QueryVector,
    /// The floor of the best estimates. Vectors that cannot reach it are not kept.
    floor: ScoreFloor,
    kept: Vec<Kept>,
    next_pruning: usize,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    row: ChunkRow,
    estimate: f32,
    upper_bound: f32,
}

impl Kept {
    /// Highest upper bound first.
    fn order(&self, other: &Self) -> Ordering {
        other.upper_bound.total_cmp(&self.upper_bound).then(self.row.cmp(&other.row))
    }
}

impl<'s> Shortlist<'s> {
    fn new(query: &'s QueryVector, k: usize) -> Self {
        let floor = ScoreFloor::new(k.saturating_mul(DEPTH));
        Self { query, floor, kept: Vec::new(), next_pruning: FIRST_PRUNING }
    }

    /// Compares the lanes by their signs, and those that could be among the best by all planes.
    fn compare_signs(&mut self, group: &ScanGroup<'_>, lanes: u32) {
        if lanes == 0 {
            return;
        }
        let mut pass = self.query.planes.by_signs(group.signs, group.sign_factors, self.floor.lower_bound());
        pass.lanes &= lanes;
        if pass.lanes != 0 {
            self.compare_levels(group, &pass);
        }
    }

    fn compare_levels(&mut self, group: &ScanGroup<'_>, pass: &SignPass) {
        let factors = group.level_factors;
        let estimates = self.query.planes.by_levels(pass, group.levels, factors);
        let lanes = pass.lanes & factors.reaching(&estimates, self.floor.lower_bound());
        for lane in SetBits(lanes.into()).map(|lane| lane as usize) {
            let (row, estimate) = (ChunkRow(group.rows[lane].into()), estimates[lane]);
            self.floor.record(estimate);
            self.kept.push(Kept { row, upper_bound: estimate + factors.margins[lane], estimate });
        }
    }

    fn prune_where_due(&mut self) {
        if self.kept.len() >= self.next_pruning {
            self.prune();
            self.next_pruning = (self.kept.len() * 2).max(FIRST_PRUNING);
        }
    }

    /// Adds the shortlist of another scan for the same query.
    pub fn merge(&mut self, other: Self) {
        for kept in &other.kept {
            self.floor.record(kept.estimate);
        }
        self.kept.extend(other.kept);
    }

    fn prune(&mut self) {
        let least = self.floor.kth_best();
        self.kept.retain(|kept| kept.upper_bound >= least);
    }

    /// All rows that may have to be compared, for callers that fetch their vectors in one request.
    pub fn rows(&mut self) -> impl Iterator<Item = ChunkRow> + use<'_, 's> {
        self.prune();
        self.kept.iter().map(|kept| kept.row)
    }

    /// The best `k`. `similarities` returns the exact similarity for each row, or `None` for a row without a vector.
    ///
    /// Which rows are compared depends only on the vectors, not on the order in which they were scanned.
    pub fn best<E>(
        mut self,
        k: usize,
        mut similarities: impl FnMut(&[ChunkRow]) -> Result<Vec<Option<f32>>, E>,
    ) -> Result<TopK, E> {
        self.prune();
        let mut best = TopK::new(k);
        let mut compare = |part: &[Kept], best: &mut TopK| {
            let hopeful = part.iter().filter(|kept| kept.upper_bound >= best.least());
            let mut rows: Vec<ChunkRow> = hopeful.map(|kept| kept.row).collect();
            // Neighbouring rows share pages of the database.
            rows.sort_unstable();
            let found = rows.iter().zip(similarities(&rows)?);
            found.for_each(|(row, near)| near.into_iter().for_each(|near| best.offer(*row, near)));
            Ok(())
        };
        if self.kept.len() > k {
            self.kept.select_nth_unstable_by(k, Kept::order);
        }
        let first = self.kept.len().min(k);
        compare(&self.kept[..first], &mut best)?;
        // Most rows can be dropped after the first `k`, and need no sorting.
        let mut left = self.kept.split_off(first);
        left.retain(|kept| kept.upper_bound >= best.least());
        left.sort_unstable_by(Kept::order);
        for part in left.chunks(k.div_ceil(PARTS).max(1)) {
            if part[0].upper_bound < best.least() {
                break;
            }
            compare(part, &mut best)?;
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::convert::Infallible;

    use vectorcode_core::quantize;
    use vectorcode_testkit::SplitMix64;

    use super::*;
    use crate::index::top_k::Scored;
    use crate::index::vectors::block::{Block, BlockChanges, block_of};
    use crate::index::vectors::code::CodeLayout;
    use crate::index::vectors::scan_segment::SegmentBuilder;

    const DIMENSIONS: usize = 96;

    /// Vectors clustered around some centres, like those of real texts.
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

    /// Segments of a few blocks each.
    fn segments(vectors: &[Vec<i8>]) -> Vec<ScanSegment> {
        let layout = CodeLayout::of(DIMENSIONS);
        let rows: Vec<(i64, &Vec<i8>)> = (1..).zip(vectors).collect();
        let blocks: Vec<_> = rows.chunk_by(|one, other| block_of(one.0) == block_of(other.0)).collect();
        let segment = |blocks: &[&[(i64, &Vec<i8>)]]| {
            let mut builder = SegmentBuilder::new(layout);
            for rows in blocks {
                let mut changes = BlockChanges::default();
                for (row, vector) in *rows {
                    changes.set(*row, Some(layout.encode(vector)));
                }
                let bytes = changes.apply(&layout, None).unwrap();
                builder.push(&Block::parse(&layout, block_of(rows[0].0), &bytes).unwrap());
            }
            builder.finish()
        };
        blocks.chunks(3).map(segment).collect()
    }

    fn rows(best: TopK) -> Vec<Scored> {
        best.into_sorted(|_| Ok::<_, Infallible>(())).unwrap()
    }

    #[test]
    fn a_scan_of_codes_finds_what_a_comparison_with_all_vectors_finds() {
        let (vectors, k) = (vectors(20_000), 100);
        let segments = segments(&vectors);
        let (mut compared, mut found, mut asked) = (0, 0, 0);
        for query in vectors.iter().step_by(997) {
            let query = QueryVector::new(&quantize::to_unit_f32(query));
            let similarity = |row: &ChunkRow| {
                let vector = &vectors[row.0 as usize - 1];
                Some(query.similarity(vector, quantize::inverse_norm(vector)))
            };
            // Two scans of one half each, as on two threads.
            let mut halves = [(); 2].map(|()| Scan::new(&[&query], Wanted { allowed: None, k }));
            for (place, segment) in segments.iter().enumerate() {
                halves[place % 2].add(segment);
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
        let vectors = vectors(50);
        let query = QueryVector::new(&quantize::to_unit_f32(&vectors[7]));
        let allowed: RowBitmap = (1..=50).filter(|row| row % 2 == 0).collect();
        let mut scan = Scan::new(&[&query], Wanted { allowed: Some(&allowed), k: 30 });
        for segment in &segments(&vectors) {
            scan.add(segment);
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
