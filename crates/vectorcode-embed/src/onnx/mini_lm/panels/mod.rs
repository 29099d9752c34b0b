//! Int8 matrix products with weights stored in panels of 64 columns, for instructions that the kernels of `rten-gemm` do not use.
//!
//! Xeons since 2023 have a matrix unit (AMX), which multiplies tiles of 16 rows of 64 bytes; the panels are stored in that
//! layout. Vector instructions read the same rows one by one. On one thread, AMX embeds 540 instead of 315 texts of 64 tokens per
//! second, 256 instead of 144 texts of 128 tokens, and 108 instead of 62 texts of 256 tokens; AVX-VNNI on a laptop embeds 356
//! instead of 193 to 246 texts of 64 tokens (docs/notes/speed.md). Sums are integers, so the results equal those of any other
//! kernel to the last bit.

#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), path = "no_amx.rs")]
mod amx;
#[cfg_attr(not(target_arch = "x86_64"), path = "no_vnni.rs")]
mod vnni;

const TILE_ROWS: usize = 16;
const TILE_COLUMNS: usize = 16;
const TILE_BYTES: usize = 64;
/// How many inputs of every column a tile row of weights holds.
const INPUTS_TOGETHER: usize = TILE_BYTES / TILE_COLUMNS;
/// Four tiles of sums are computed at a time; the other four tiles of the processor hold the inputs.
const PANEL_TILES: usize = 4;
const PANEL_COLUMNS: usize = PANEL_TILES * TILE_COLUMNS;

/// A row of a tile, aligned to a cache line.
#[derive(Clone)]
#[repr(C, align(64))]
struct TileRow([i8; TILE_BYTES]);

/// Weights of `inputs x outputs`, as consecutive panels of 64 columns. A panel holds its tile rows in groups of four tiles, and
/// has as many rows as there are inputs.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no unit multiplies with them"))]
pub(super) struct PanelWeights {
    shape: [usize; 2],
    rows: Vec<TileRow>,
    unit: Unit,
}

/// The unit of the processor that multiplies: AMX tiles, or vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Amx,
    Vnni(vnni::Width),
}

impl Unit {
    /// The units that this process may use, the fastest first.
    fn supported() -> impl Iterator<Item = Self> {
        let tiles = amx::is_permitted().then_some(Self::Amx);
        tiles.into_iter().chain(vnni::Width::usable().map(Self::Vnni))
    }
}

/// Whether this processor can multiply with panels.
pub(super) fn is_supported() -> bool {
    Unit::supported().next().is_some()
}

impl PanelWeights {
    /// `None` if no unit is usable. The shape must be a multiple of `TILE_BYTES x PANEL_COLUMNS`.
    pub(super) fn pack(weights: &[i8], shape: [usize; 2]) -> Option<Self> {
        Unit::supported().next().map(|unit| Self::pack_for(unit, weights, shape))
    }

    fn pack_for(unit: Unit, weights: &[i8], [inputs, outputs]: [usize; 2]) -> Self {
        assert!(fits_panels([inputs, outputs]) && weights.len() == inputs * outputs);
        let mut rows = vec![TileRow([0; TILE_BYTES]); weights.len() / TILE_BYTES];
        for (number, row) in rows.iter_mut().enumerate() {
            let (tile, tile_row) = (number / TILE_ROWS, number % TILE_ROWS);
            let (place, tile) = (tile / PANEL_TILES, tile % PANEL_TILES);
            let (panel, depth) = (place / (inputs / TILE_BYTES), place % (inputs / TILE_BYTES));
            let column = panel * PANEL_COLUMNS + tile * TILE_COLUMNS;
            let input = depth * TILE_BYTES + tile_row * INPUTS_TOGETHER;
            interleave(&weights[input * outputs + column..], outputs, &mut row.0);
        }
        Self { shape: [inputs, outputs], rows, unit }
    }

    /// Writes a row of sums for each row of `bytes`.
    pub(super) fn multiply(&self, bytes: &[u8], sums: &mut [i32]) {
        match self.unit {
            Unit::Amx => amx::multiply(self, bytes, sums),
            Unit::Vnni(width) => vnni::multiply(width, self, bytes, sums),
        }
    }

    /// Calls `multiply` with strips of at most `rows` rows. A panel is read from memory once and multiplied with all rows.
    #[cfg(target_arch = "x86_64")]
    fn for_each_strip(
        &self,
        rows: usize,
        bytes: &[u8],
        sums: &mut [i32],
        mut multiply: impl FnMut(Strip<'_>),
    ) {
        let [inputs, outputs] = self.shape;
        assert!(bytes.len().is_multiple_of(inputs) && bytes.len() / inputs * outputs == sums.len());
        let panels = self.rows.chunks_exact(inputs);
        for (panel, column) in panels.zip((0..outputs).step_by(PANEL_COLUMNS)) {
            for (bytes, sums) in bytes.chunks(rows * inputs).zip(sums.chunks_mut(rows * outputs)) {
                multiply(Strip { bytes, panel, inputs, sums: &mut sums[column..], outputs });
            }
        }
    }
}

/// Some rows of bytes, the panel that they are multiplied with, and where the sums go.
#[cfg(target_arch = "x86_64")]
struct Strip<'s> {
    bytes: &'s [u8],
    panel: &'s [TileRow],
    /// Bytes of a row, and rows of the panel.
    inputs: usize,
    /// 64 sums for each row.
    sums: &'s mut [i32],
    /// Distance from one row of sums to the next.
    outputs: usize,
}

#[cfg(target_arch = "x86_64")]
impl Strip<'_> {
    fn rows(&self) -> usize {
        self.bytes.len() / self.inputs
    }
}

fn fits_panels([inputs, outputs]: [usize; 2]) -> bool {
    inputs.is_multiple_of(TILE_BYTES) && outputs.is_multiple_of(PANEL_COLUMNS)
}

/// Fills a tile row: for each column, the weights of four inputs, which are `outputs` apart.
fn interleave(weights: &[i8], outputs: usize, row: &mut [i8]) {
    for (offset, columns) in weights.chunks(outputs).take(INPUTS_TOGETHER).enumerate() {
        for (target, weight) in row[offset..].iter_mut().step_by(INPUTS_TOGETHER).zip(columns) {
            *target = *weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests nothing on a processor without either unit.
    #[test]
    fn sums_are_exact_for_any_number_of_rows() {
        let [inputs, outputs] = [128, 192];
        let weights: Vec<i8> = (0..inputs * outputs).map(|n| (n * 7919 % 255) as u8 as i8).collect();
        for unit in Unit::supported() {
            let packed = PanelWeights::pack_for(unit, &weights, [inputs, outputs]);
            for rows in 0..=33 {
                let bytes: Vec<u8> = (0..rows * inputs).map(|n| (n * 104_729 % 256) as u8).collect();
                let mut sums = vec![0; rows * outputs];
                packed.multiply(&bytes, &mut sums);
                for (cell, sum) in sums.iter().enumerate() {
                    let row = &bytes[cell / outputs * inputs..][..inputs];
                    let column = weights[cell % outputs..].iter().step_by(outputs);
                    let exact: i32 = row.iter().zip(column).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
                    assert_eq!(*sum, exact, "{unit:?}, {rows} rows, cell {cell}");
                }
            }
        }
    }
}
