//! Compares a query with the bit planes of 32 vectors at once: `FastScan` (André, Kermarrec and Le Scouarnec, 2015), as used by
//! Faiss and `RaBitQ`.
//!
//! Four bits have sixteen patterns. For every four components of the query there is a table of what each pattern contributes to
//! the dot product, one byte per entry, which fits a register: one instruction looks up 16 or 32 entries. Tables are made for
//! each query, so quantising their entries costs the query less precision than quantising its components to a few bits would.
//!
//! Counting sign bits one word at a time takes 12 instructions that run once per cycle, for 192 components and a query of four
//! bits; looking up entries takes about three cycles per vector. So all planes of 32 vectors are compared in the time in which
//! counting would compare two or three vectors, and if a single one of the 32 passes the comparison of signs, all are compared.

#![expect(
    clippy::inline_always,
    reason = "code that is not inlined into the scan is not compiled for its instruction set"
)]

#[cfg(target_arch = "aarch64")]
mod neon;

/// The number of vectors that are compared at once.
pub(crate) const LANES: usize = 32;
/// So that the sum of two entries fits into a byte.
const MAX_ENTRY: f32 = 127.0;

#[derive(Debug)]
pub(crate) struct PlaneTables {
    /// For each byte of a plane, the tables for its lower and its upper half, each stored twice: once for each half of a 256-bit
    /// register.
    tables: Vec<[[u8; LANES]; 2]>,
    /// Offset and slope turn a sum of entries into a cosine, except for the scale of the vector.
    offset: f32,
    slope: f32,
}

impl PlaneTables {
    pub fn new(values: &[i16], inverse_norm: f32) -> Self {
        let mut padded: Vec<f32> = values.iter().map(|value| f32::from(*value)).collect();
        // A plane consists of whole 64-bit words.
        padded.resize(values.len().div_ceil(64) * 64, 0.0);
        let quarters = padded.as_chunks::<4>().0;
        let range = |four: &[f32; 4]| four.iter().map(|value| value.abs()).sum::<f32>();
        let widest = quarters.iter().map(range).fold(0.0, f32::max);
        let all: f32 = quarters.iter().map(range).sum();
        // A sum of entries must fit into 16 bits, even if every entry was rounded up.
        let room = f32::from(u16::MAX) - quarters.len() as f32;
        let step = (widest / MAX_ENTRY).max(all / room).max(f32::MIN_POSITIVE);
        let table = |four: &[f32; 4]| {
            let entry = |form: usize| form_above_least(four, form) / step;
            std::array::from_fn(|place| entry(place % 16).round() as u8)
        };
        let pair = |pair: &[[f32; 4]; 2]| [table(&pair[0]), table(&pair[1])];
        let negative: f32 = padded.iter().map(|value| value.min(0.0)).sum();
        let sum: f32 = padded.iter().sum();
        Self {
            tables: quarters.as_chunks::<2>().0.iter().map(pair).collect(),
            offset: (2.0 * negative - sum) * inverse_norm,
            slope: 2.0 * step * inverse_norm,
        }
    }

    /// The first pass: which lanes could be at least as similar as `bar`, by their estimates and margins. `planes` has, for each
    /// byte of the sign planes, that byte of all lanes.
    pub fn by_signs(&self, planes: &[[u8; LANES]], lanes: &LaneFactors, bar: f32) -> SignPass {
        #[cfg(target_arch = "x86_64")]
        if let Some(processor) = pulp::x86::V3::try_new() {
            return processor.vectorize(
                #[inline(always)]
                || self.pass(wide_sums(processor, self, planes), lanes, bar),
            );
        }
        self.pass(self.sums(planes, u32::MAX), lanes, bar)
    }

    #[inline(always)]
    fn pass(&self, sums: [u32; LANES], lanes: &LaneFactors, bar: f32) -> SignPass {
        SignPass { lanes: lanes.reaching(&self.estimates(1, &sums, lanes), bar), sums }
    }

    /// The estimates by all planes, for the lanes that passed [`Self::by_signs`]. `planes` are the other planes, highest first.
    pub fn by_levels(&self, signs: &SignPass, planes: &[[u8; LANES]], lanes: &LaneFactors) -> [f32; LANES] {
        let planes = planes.chunks_exact(self.tables.len().max(1));
        #[cfg(target_arch = "x86_64")]
        if let Some(processor) = pulp::x86::V3::try_new() {
            return processor.vectorize(
                #[inline(always)]
                || self.join_planes(signs, planes.map(|plane| wide_sums(processor, self, plane)), lanes),
            );
        }
        self.join_planes(signs, planes.map(|plane| self.sums(plane, signs.lanes)), lanes)
    }

    /// Combines the planes: those after the first hold the lower bits of the levels.
    #[inline(always)]
    fn join_planes(
        &self,
        signs: &SignPass,
        planes: impl Iterator<Item = [u32; LANES]>,
        lanes: &LaneFactors,
    ) -> [f32; LANES] {
        let (mut top_level, mut sums) = (1, signs.sums);
        for plane in planes {
            top_level = 2 * top_level + 1;
            for (sum, plane) in sums.iter_mut().zip(plane) {
                *sum = 2 * *sum + plane;
            }
        }
        self.estimates(top_level, &sums, lanes)
    }

    /// Turns sums over levels, which count from 0, into cosines.
    #[inline(always)]
    fn estimates(&self, top_level: u16, sums: &[u32; LANES], lanes: &LaneFactors) -> [f32; LANES] {
        let offset = self.offset * f32::from(top_level);
        let mut estimates = [0.0; LANES];
        for ((estimate, sum), scale) in estimates.iter_mut().zip(sums).zip(&lanes.scales) {
            *estimate = (offset + self.slope * *sum as f32) * scale;
        }
        estimates
    }

    /// The sums of at least these lanes.
    #[cfg(target_arch = "aarch64")]
    fn sums(&self, planes: &[[u8; LANES]], _lanes: u32) -> [u32; LANES] {
        neon::sums(&self.tables, planes)
    }

    #[cfg(not(target_arch = "aarch64"))]
    fn sums(&self, planes: &[[u8; LANES]], lanes: u32) -> [u32; LANES] {
        self.sums_one_by_one(planes, lanes)
    }

    /// The sums of these lanes only, without wide registers.
    #[cfg(any(test, not(target_arch = "aarch64")))]
    fn sums_one_by_one(&self, planes: &[[u8; LANES]], lanes: u32) -> [u32; LANES] {
        let mut sums = [0; LANES];
        for (lane, sum) in sums.iter_mut().enumerate().filter(|(lane, _)| lanes >> lane & 1 == 1) {
            for (bytes, [lower, upper]) in planes.iter().zip(&self.tables) {
                let byte = usize::from(bytes[lane]);
                *sum += u32::from(lower[byte & 15]) + u32::from(upper[byte >> 4]);
            }
        }
        sums
    }
}

/// The result of the first pass over a group of lanes.
#[derive(Debug)]
pub(crate) struct SignPass {
    /// The lanes that could reach the bar; the lowest bit is the first lane.
    pub lanes: u32,
    sums: [u32; LANES],
}

/// What a bit pattern contributes to the dot product, relative to the pattern that contributes least. Bit `n` of the pattern says
/// that component `n` is positive.
fn form_above_least(four: &[f32; 4], form: usize) -> f32 {
    let adds = |(place, value): (usize, &f32)| {
        let is_set = form >> place & 1 == 1;
        if is_set == (*value > 0.0) { value.abs() } else { 0.0 }
    };
    four.iter().enumerate().map(adds).sum()
}

/// The scale and margin of each lane.
#[derive(Debug, Default)]
pub(crate) struct LaneFactors {
    pub scales: [f32; LANES],
    pub margins: [f32; LANES],
}

impl LaneFactors {
    #[inline(always)]
    pub fn reaching(&self, estimates: &[f32; LANES], bar: f32) -> u32 {
        let lanes = estimates.iter().zip(&self.margins).enumerate();
        lanes.fold(0, |bits, (lane, (estimate, margin))| bits | u32::from(estimate + margin >= bar) << lane)
    }
}

/// The sums of table entries, with 256-bit registers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn wide_sums(processor: pulp::x86::V3, tables: &PlaneTables, planes: &[[u8; LANES]]) -> [u32; LANES] {
    use pulp::cast;
    let (avx, avx2) = (processor.avx, processor.avx2);
    let half = avx._mm256_set1_epi8(15);
    // Entries are bytes and sums have 16 bits: one register sums the pairs of bytes, another one the upper bytes alone.
    let (mut pairs, mut upper) = (avx._mm256_setzero_si256(), avx._mm256_setzero_si256());
    for (bytes, [low_table, high_table]) in planes.iter().zip(&tables.tables) {
        let bytes = cast(*bytes);
        let low = avx2._mm256_and_si256(bytes, half);
        let high = avx2._mm256_and_si256(avx2._mm256_srli_epi16::<4>(bytes), half);
        let entries = avx2._mm256_add_epi8(
            avx2._mm256_shuffle_epi8(cast(*low_table), low),
            avx2._mm256_shuffle_epi8(cast(*high_table), high),
        );
        pairs = avx2._mm256_add_epi16(pairs, entries);
        upper = avx2._mm256_add_epi16(upper, avx2._mm256_srli_epi16::<8>(entries));
    }
    let lower = avx2._mm256_sub_epi16(pairs, avx2._mm256_slli_epi16::<8>(upper));
    let (lower, upper): ([u16; LANES / 2], [u16; LANES / 2]) = (cast(lower), cast(upper));
    let mut sums = [0; LANES];
    for (pair, (lower, upper)) in sums.as_chunks_mut::<2>().0.iter_mut().zip(lower.iter().zip(&upper)) {
        *pair = [u32::from(*lower), u32::from(*upper)];
    }
    sums
}

#[cfg(test)]
mod tests {
    use vectorcode_testkit::SplitMix64;

    use super::*;

    fn planes(random: &mut SplitMix64, bytes: usize) -> Vec<[u8; LANES]> {
        (0..bytes).map(|_| std::array::from_fn(|_| random.next_u64() as u8)).collect()
    }

    /// Whichever implementation this processor selects must agree with plain arithmetic.
    #[test]
    fn lanes_reach_the_bar_that_their_product_reaches() {
        let mut random = SplitMix64(3);
        for dimensions in [8, 64, 192, 384, 1000, 3072] {
            let values: Vec<i16> =
                (0..dimensions).map(|_| (random.next_u64() % 2001) as i16 - 1000).collect();
            let tables = PlaneTables::new(&values, 0.001);
            let bytes = values.len().div_ceil(64) * 8;
            let (signs, others) = (planes(&mut random, bytes), planes(&mut random, 3 * bytes));
            let lanes = LaneFactors { scales: [0.5; LANES], margins: [0.1; LANES] };
            let bit = |planes: &[[u8; LANES]], place: usize, lane: usize| {
                i32::from(planes[place / 8][lane] >> (place % 8) & 1)
            };
            let product = |level: &dyn Fn(usize) -> i32| -> f32 {
                let product = |(place, value): (usize, &i16)| level(place) as f32 * f32::from(*value);
                values.iter().enumerate().map(product).sum::<f32>() * 0.001 * 0.5
            };
            // The rounding error of the tables: half an entry for every four components.
            let slack = tables.slope * bytes as f32 * 0.5;
            let pass = tables.by_signs(&signs, &lanes, f32::MIN);
            let (rough, fine) =
                (tables.by_levels(&pass, &[], &lanes), tables.by_levels(&pass, &others, &lanes));
            for lane in 0..LANES {
                let by_sign = product(&|place| 2 * bit(&signs, place, lane) - 1);
                assert!((rough[lane] - by_sign).abs() <= slack, "{dimensions}: {} {by_sign}", rough[lane]);
                let upper_bound = rough[lane] + 0.1;
                assert_eq!(tables.by_signs(&signs, &lanes, upper_bound - 1e-4).lanes >> lane & 1, 1);
                assert_eq!(tables.by_signs(&signs, &lanes, upper_bound + 1e-4).lanes >> lane & 1, 0);
                let by_level = product(&|place| {
                    let lower = |plane: usize| bit(&others[plane * bytes..], place, lane) << (2 - plane);
                    2 * (8 * bit(&signs, place, lane) + (0..3).map(lower).sum::<i32>()) - 15
                });
                assert!(
                    (fine[lane] - by_level).abs() <= 15.0 * slack,
                    "{dimensions}: {} {by_level}",
                    fine[lane]
                );
            }
        }
    }

    /// The implementation for processors without wide registers.
    #[test]
    fn lanes_looked_up_one_by_one_have_the_same_sums() {
        let mut random = SplitMix64(4);
        let tables = PlaneTables::new(&[300, -20, 7, 90, -400, 11, 5, 2].repeat(24), 0.001);
        let planes = planes(&mut random, 24);
        let (alone, pass) = (
            tables.sums_one_by_one(&planes, 0x8000_0401),
            tables.by_signs(&planes, &LaneFactors::default(), f32::MIN),
        );
        for (lane, sum) in alone.into_iter().enumerate() {
            assert_eq!(sum, if [0, 10, 31].contains(&lane) { pass.sums[lane] } else { 0 });
        }
    }

    #[test]
    fn a_query_without_direction_is_at_right_angles_to_all() {
        let tables = PlaneTables::new(&[0; 64], 0.0);
        let lanes = LaneFactors { scales: [1.0; LANES], margins: [0.0; LANES] };
        let pass = tables.by_signs(&[[0xa5; LANES]; 8], &lanes, 0.0);
        let estimates = tables.by_levels(&pass, &[[0x5a; LANES]; 8], &lanes);
        assert!(estimates.iter().all(|estimate| estimate.abs() < 1e-6));
    }
}
