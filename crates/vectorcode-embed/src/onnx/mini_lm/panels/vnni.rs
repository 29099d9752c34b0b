//! Dot products of four bytes a lane (AVX-512 VNNI). Activations are read where they lie, while the kernels of `rten-gemm` copy them
//! first, and a panel of weights stays in the nearest caches while all rows pass by.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
};

use super::{
    INPUTS_TOGETHER, PANEL_COLUMNS, PANEL_TILES, TILE_BYTES, TILE_COLUMNS, TILE_ROWS, TileRow, fits_panels,
};

/// The sums of so many rows, four registers each, leave eight of 32 registers for what is multiplied.
const STRIP_ROWS: usize = 6;

/// Whether the processor has the instructions.
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni")
}

/// Writes a row of sums for each row of `bytes`. A panel of weights is multiplied with all rows before the next one.
pub(super) fn multiply([inputs, outputs]: [usize; 2], weights: &[TileRow], bytes: &[u8], sums: &mut [i32]) {
    assert!(is_there() && fits_panels([inputs, outputs]) && weights.len() * TILE_BYTES == inputs * outputs);
    assert!(bytes.len().is_multiple_of(inputs) && bytes.len() / inputs * outputs == sums.len());
    let panels = weights.chunks_exact(inputs);
    for (panel, column) in panels.zip((0..outputs).step_by(PANEL_COLUMNS)) {
        let strips = bytes.chunks(STRIP_ROWS * inputs).zip(sums.chunks_mut(STRIP_ROWS * outputs));
        for (bytes, sums) in strips {
            let multiply_strip = match bytes.len() / inputs {
                1 => multiply_strip::<1>,
                2 => multiply_strip::<2>,
                3 => multiply_strip::<3>,
                4 => multiply_strip::<4>,
                5 => multiply_strip::<5>,
                _ => multiply_strip::<STRIP_ROWS>,
            };
            // SAFETY: the processor has the instructions. A strip has this many rows of `inputs` bytes and, from `column` on, 64
            // places for sums in each; a panel has `inputs` rows.
            unsafe { multiply_strip(bytes, panel, inputs, &mut sums[column..], outputs) };
        }
    }
}

/// Writes 64 columns of sums for each of `ROWS` rows.
///
/// # Safety
/// `bytes` must have `ROWS` rows of `inputs` bytes, `panel` `inputs` rows, and `sums` 64 places in each row, which are `outputs` places
/// apart.
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn multiply_strip<const ROWS: usize>(
    bytes: &[u8],
    panel: &[TileRow],
    inputs: usize,
    sums: &mut [i32],
    outputs: usize,
) {
    let mut totals = [[_mm512_setzero_si512(); PANEL_TILES]; ROWS];
    for (depth, tiles) in panel.chunks_exact(PANEL_TILES * TILE_ROWS).enumerate() {
        for tile_row in 0..TILE_ROWS {
            let input = depth * TILE_BYTES + tile_row * INPUTS_TOGETHER;
            let mut weights = [_mm512_setzero_si512(); PANEL_TILES];
            for (weights, tile) in weights.iter_mut().zip(tiles.chunks_exact(TILE_ROWS)) {
                // SAFETY: a row of a tile has 64 bytes, at a multiple of 64.
                *weights = unsafe { _mm512_load_si512((&raw const tile[tile_row]).cast()) };
            }
            for (row, totals) in totals.iter_mut().enumerate() {
                // SAFETY: the row has `inputs` bytes, and there are four more from `input` on.
                let four = unsafe { bytes.as_ptr().add(row * inputs + input).cast::<i32>().read_unaligned() };
                for (total, weights) in totals.iter_mut().zip(weights) {
                    *total = _mm512_dpbusd_epi32(*total, _mm512_set1_epi32(four), weights);
                }
            }
        }
    }
    for (row, totals) in totals.iter().enumerate() {
        for (tile, total) in totals.iter().enumerate() {
            // SAFETY: there are 64 places in this row.
            unsafe {
                _mm512_storeu_si512(sums.as_mut_ptr().add(row * outputs + tile * TILE_COLUMNS).cast(), *total)
            };
        }
    }
}
