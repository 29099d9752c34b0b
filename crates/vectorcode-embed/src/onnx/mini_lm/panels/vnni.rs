//! Matrix products with dot products of four bytes per lane: `vpdpbusd` of AVX-512 on servers, and of AVX-VNNI, with vectors half
//! as wide, on laptops. Activations are read in place; the kernels of `rten-gemm` copy them first, and use only AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    _mm256_dpbusd_avx_epi32, _mm256_load_si256, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_storeu_si256,
    _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
};

use super::{INPUTS_TOGETHER, PANEL_TILES, PanelWeights, Strip, TILE_BYTES, TILE_COLUMNS, TILE_ROWS};

/// How many bytes of weights an instruction multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Bytes64,
    Bytes32,
}

impl Width {
    /// The widths that this processor supports, the widest first.
    pub(super) fn usable() -> impl Iterator<Item = Self> {
        let has_64 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni");
        let has_32 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni");
        [(Self::Bytes64, has_64), (Self::Bytes32, has_32)]
            .into_iter()
            .filter_map(|(width, usable)| usable.then_some(width))
    }
}

type MultiplyStrip = unsafe fn(Strip<'_>);

/// Kernels for one to six rows. The sums of six rows fill most registers: 24 of 32 for a whole panel (AVX-512), 12 of 16 for one
/// tile (AVX-VNNI).
const STRIPS_64: [MultiplyStrip; 6] =
    [strip_64::<1>, strip_64::<2>, strip_64::<3>, strip_64::<4>, strip_64::<5>, strip_64::<6>];
const STRIPS_32: [MultiplyStrip; 6] =
    [strip_32::<1>, strip_32::<2>, strip_32::<3>, strip_32::<4>, strip_32::<5>, strip_32::<6>];

/// Writes a row of sums for each row of `bytes`.
pub(super) fn multiply(width: Width, weights: &PanelWeights, bytes: &[u8], sums: &mut [i32]) {
    assert!(Width::usable().any(|usable| usable == width));
    let kernels = match width {
        Width::Bytes64 => STRIPS_64,
        Width::Bytes32 => STRIPS_32,
    };
    weights.for_each_strip(kernels.len(), bytes, sums, |strip| {
        let multiply_strip = kernels[strip.rows() - 1];
        // SAFETY: the processor has the instructions, and the kernel is the one for this number of rows.
        unsafe { multiply_strip(strip) };
    });
}

/// Writes 64 columns of sums for each of `ROWS` rows.
///
/// # Safety
/// The strip must have this many rows.
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn strip_64<const ROWS: usize>(strip: Strip<'_>) {
    let Strip { bytes, panel, inputs, sums, outputs } = strip;
    let mut totals = [[_mm512_setzero_si512(); PANEL_TILES]; ROWS];
    for (depth, tiles) in panel.chunks_exact(PANEL_TILES * TILE_ROWS).enumerate() {
        for tile_row in 0..TILE_ROWS {
            let mut weights = [_mm512_setzero_si512(); PANEL_TILES];
            for (weights, tile) in weights.iter_mut().zip(tiles.chunks_exact(TILE_ROWS)) {
                // SAFETY: a row of a tile has 64 bytes, at a multiple of 64.
                *weights = unsafe { _mm512_load_si512(tile[tile_row].0.as_ptr().cast()) };
            }
            for (row, totals) in totals.iter_mut().enumerate() {
                let place = row * inputs + depth * TILE_BYTES + tile_row * INPUTS_TOGETHER;
                // SAFETY: a row has `inputs` bytes, a multiple of four.
                let four = _mm512_set1_epi32(unsafe { four_bytes(bytes, place) });
                for (total, weights) in totals.iter_mut().zip(weights) {
                    *total = _mm512_dpbusd_epi32(*total, four, weights);
                }
            }
        }
    }
    for (row, totals) in totals.into_iter().enumerate() {
        for (tile, total) in totals.into_iter().enumerate() {
            // SAFETY: there are 64 places in this row.
            unsafe {
                _mm512_storeu_si512(sums.as_mut_ptr().add(row * outputs + tile * TILE_COLUMNS).cast(), total);
            };
        }
    }
}

/// Like [`strip_64`], but one tile of the panel at a time, since there are half as many registers of half the width.
///
/// # Safety
/// As for [`strip_64`].
#[target_feature(enable = "avx2,avxvnni")]
unsafe fn strip_32<const ROWS: usize>(strip: Strip<'_>) {
    let Strip { bytes, panel, inputs, sums, outputs } = strip;
    for tile in 0..PANEL_TILES {
        let mut totals = [[_mm256_setzero_si256(); 2]; ROWS];
        for (depth, tiles) in panel.chunks_exact(PANEL_TILES * TILE_ROWS).enumerate() {
            let weights = &tiles[tile * TILE_ROWS..][..TILE_ROWS];
            for (tile_row, weights) in weights.iter().enumerate() {
                let weights = weights.0.as_ptr();
                // SAFETY: a row of a tile has twice 32 bytes, at a multiple of 64.
                let weights =
                    unsafe { [_mm256_load_si256(weights.cast()), _mm256_load_si256(weights.add(32).cast())] };
                for (row, totals) in totals.iter_mut().enumerate() {
                    let place = row * inputs + depth * TILE_BYTES + tile_row * INPUTS_TOGETHER;
                    // SAFETY: a row has `inputs` bytes, a multiple of four.
                    let four = _mm256_set1_epi32(unsafe { four_bytes(bytes, place) });
                    for (total, weights) in totals.iter_mut().zip(weights) {
                        *total = _mm256_dpbusd_avx_epi32(*total, four, weights);
                    }
                }
            }
        }
        for (row, totals) in totals.into_iter().enumerate() {
            for (half, total) in totals.into_iter().enumerate() {
                let place = row * outputs + tile * TILE_COLUMNS + half * TILE_COLUMNS / 2;
                // SAFETY: there are 64 places in this row.
                unsafe { _mm256_storeu_si256(sums.as_mut_ptr().add(place).cast(), total) };
            }
        }
    }
}

/// # Safety
/// `bytes` must have four from `place` on.
unsafe fn four_bytes(bytes: &[u8], place: usize) -> i32 {
    // SAFETY: as promised by the caller.
    unsafe { bytes.as_ptr().add(place).cast::<i32>().read_unaligned() }
}
