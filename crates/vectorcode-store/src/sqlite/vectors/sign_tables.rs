//! A query compared with the signs of 32 vectors at once.
//!
//! Four signs have sixteen forms. For every four components of the query there is a table of what each form adds to the
//! product, a byte an entry, which fits a register: one instruction looks up 16 or 32 entries. Tables are made for the
//! question, so the query loses less by them than by a few bits a component.
//!
//! Counting the bits of signs one word at a time takes 12 instructions of a kind that runs once a cycle, for 192 components and a
//! query of four bits. Looking entries up takes about three cycles a vector.

#![expect(
    clippy::inline_always,
    reason = "what is not inlined into the scan is not compiled for its processor"
)]

/// Vectors that are compared at once.
pub(crate) const LANES: usize = 32;
/// So that two entries can be added in a byte.
const MAX_ENTRY: f32 = 127.0;

#[derive(Debug)]
pub(crate) struct SignTables {
    /// For each byte of a plane, the tables of its lower and of its upper half, each twice: as often as a wide register has
    /// halves.
    tables: Vec<[[u8; LANES]; 2]>,
    /// What turns a sum of entries into a cosine, but for the scale of the vector.
    offset: f32,
    slope: f32,
}

impl SignTables {
    pub fn new(values: &[i16], inverse_norm: f32) -> Self {
        let mut padded: Vec<f32> = values.iter().map(|value| f32::from(*value)).collect();
        // A plane is made of whole words.
        padded.resize(values.len().div_ceil(64) * 64, 0.0);
        let quarters = padded.as_chunks::<4>().0;
        let range = |four: &[f32; 4]| four.iter().map(|value| value.abs()).sum::<f32>();
        let widest = quarters.iter().map(range).fold(0.0, f32::max);
        let all: f32 = quarters.iter().map(range).sum();
        // A sum of entries must fit 16 bits, also where each was rounded up.
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

    /// The estimated cosines, each still to be multiplied by the scale of its vector. `planes` has for each byte of a plane
    /// those of all lanes.
    pub fn estimates(&self, planes: &[[u8; LANES]]) -> [f32; LANES] {
        self.cosines(self.sums(planes))
    }

    #[inline(always)]
    fn cosines(&self, sums: [u16; LANES]) -> [f32; LANES] {
        sums.map(|sum| self.offset + self.slope * f32::from(sum))
    }

    /// Which lanes could be at least as near as `bar`: the estimate, multiplied by the lane's scale, and its margin.
    pub fn reaching(&self, planes: &[[u8; LANES]], lanes: &LaneFactors, bar: f32) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(processor) = pulp::x86::V3::try_new() {
            return processor.vectorize(
                #[inline(always)]
                || lanes.reaching(&self.cosines(wide_sums(processor, self, planes)), bar),
            );
        }
        lanes.reaching(&self.estimates(planes), bar)
    }

    #[inline(always)]
    fn sums(&self, planes: &[[u8; LANES]]) -> [u16; LANES] {
        let mut sums = [0_u16; LANES];
        for (bytes, [lower, upper]) in planes.iter().zip(&self.tables) {
            for (sum, byte) in sums.iter_mut().zip(bytes) {
                let entries = [lower[usize::from(byte & 15)], upper[usize::from(byte >> 4)]];
                *sum = sum.wrapping_add(entries.map(u16::from).iter().sum());
            }
        }
        sums
    }
}

/// What a form adds, compared with the form that adds least: bit `n` of it says that component `n` is positive.
fn form_above_least(four: &[f32; 4], form: usize) -> f32 {
    let adds = |(place, value): (usize, &f32)| {
        let is_set = form >> place & 1 == 1;
        if is_set == (*value > 0.0) { value.abs() } else { 0.0 }
    };
    four.iter().enumerate().map(adds).sum()
}

/// Scale and margin of each lane. A lane without a vector has a margin that reaches nothing.
#[derive(Debug)]
pub(crate) struct LaneFactors {
    pub scales: [f32; LANES],
    pub margins: [f32; LANES],
}

impl Default for LaneFactors {
    fn default() -> Self {
        Self { scales: [0.0; LANES], margins: [f32::NEG_INFINITY; LANES] }
    }
}

impl LaneFactors {
    #[inline(always)]
    fn reaching(&self, estimates: &[f32; LANES], bar: f32) -> u32 {
        let lanes = estimates.iter().zip(&self.scales).zip(&self.margins).enumerate();
        lanes.fold(0, |bits, (lane, ((estimate, scale), margin))| {
            bits | u32::from(estimate * scale + margin >= bar) << lane
        })
    }
}

/// The sums of entries with 256-bit registers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn wide_sums(processor: pulp::x86::V3, tables: &SignTables, planes: &[[u8; LANES]]) -> [u16; LANES] {
    use pulp::cast;
    let (avx, avx2) = (processor.avx, processor.avx2);
    let half = avx._mm256_set1_epi8(15);
    // Entries are bytes and sums have 16 bits: one register sums pairs of bytes, another the upper ones alone.
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
    std::array::from_fn(|lane| if lane % 2 == 0 { lower[lane / 2] } else { upper[lane / 2] })
}

#[cfg(test)]
mod tests {
    use vectorcode_testkit::SplitMix64;

    use super::*;

    /// Whichever way this processor takes, it must find what plain arithmetic finds.
    #[test]
    fn lanes_reach_the_bar_that_their_product_reaches() {
        let mut random = SplitMix64(3);
        for dimensions in [8, 64, 192, 384, 1000, 3072] {
            let values: Vec<i16> =
                (0..dimensions).map(|_| (random.next_u64() % 2001) as i16 - 1000).collect();
            let tables = SignTables::new(&values, 0.001);
            let bytes = values.len().div_ceil(64) * 8;
            let planes: Vec<[u8; LANES]> =
                (0..bytes).map(|_| std::array::from_fn(|_| random.next_u64() as u8)).collect();
            let lanes = LaneFactors { scales: [0.5; LANES], margins: [0.1; LANES] };
            let product = |lane: usize| -> f32 {
                let sign = |place: usize| f32::from(planes[place / 8][lane] >> (place % 8) & 1) * 2.0 - 1.0;
                values.iter().enumerate().map(|(place, value)| sign(place) * f32::from(*value)).sum()
            };
            // Rounding of the tables: half an entry for each of four components.
            let slack = tables.slope * bytes as f32 * 0.5;
            for (lane, estimate) in tables.estimates(&planes).iter().enumerate() {
                let exact = product(lane) * 0.001;
                assert!((estimate - exact).abs() <= slack, "{dimensions}: {estimate} {exact}");
                let upper_bound = estimate * 0.5 + 0.1;
                assert_eq!(tables.reaching(&planes, &lanes, upper_bound - 1e-4) >> lane & 1, 1);
                assert_eq!(tables.reaching(&planes, &lanes, upper_bound + 1e-4) >> lane & 1, 0);
            }
            assert_eq!(tables.reaching(&planes, &LaneFactors::default(), f32::MIN), 0);
        }
    }

    #[test]
    fn a_query_without_direction_is_at_right_angles_to_all() {
        let tables = SignTables::new(&[0; 64], 0.0);
        assert!(tables.estimates(&[[0xa5; LANES]; 8]).iter().all(|estimate| estimate.abs() < 1e-6));
    }
}
