//! Sums table entries with the 128-bit registers that every arm64 processor has.

use std::arch::aarch64::{
    uint8x16_t, vaddq_u8, vaddw_high_u8, vaddw_u8, vandq_u8, vdupq_n_u8, vdupq_n_u16, vget_low_u8,
    vqtbl1q_u8, vshrq_n_u8,
};

use pulp::cast;

use super::LANES;

/// The sums of all lanes. `tables` has a pair for each byte of a plane, as in [`super::PlaneTables`].
pub(super) fn sums(tables: &[[[u8; LANES]; 2]], planes: &[[u8; LANES]]) -> [u32; LANES] {
    #[expect(unsafe_code, reason = "a function with a target feature is unsafe to call")]
    // SAFETY: every processor of this target has these registers.
    unsafe {
        sums_with_registers(tables, planes)
    }
}

#[target_feature(enable = "neon")]
fn sums_with_registers(tables: &[[[u8; LANES]; 2]], planes: &[[u8; LANES]]) -> [u32; LANES] {
    let half = vdupq_n_u8(15);
    let mut sums = [vdupq_n_u16(0); 4];
    for (bytes, [low_table, high_table]) in planes.iter().zip(tables) {
        let bytes: [uint8x16_t; 2] = cast(*bytes);
        let ([low_table, _], [high_table, _]): ([uint8x16_t; 2], [uint8x16_t; 2]) =
            (cast(*low_table), cast(*high_table));
        for (bytes, sums) in bytes.into_iter().zip(sums.as_chunks_mut::<2>().0) {
            let low = vqtbl1q_u8(low_table, vandq_u8(bytes, half));
            let high = vqtbl1q_u8(high_table, vshrq_n_u8::<4>(bytes));
            let entries = vaddq_u8(low, high);
            *sums = [vaddw_u8(sums[0], vget_low_u8(entries)), vaddw_high_u8(sums[1], entries)];
        }
    }
    let sums: [u16; LANES] = cast(sums);
    sums.map(u32::from)
}
