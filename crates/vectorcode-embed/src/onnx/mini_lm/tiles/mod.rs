//! Products of bytes on the matrix unit of newer Xeons (AMX), two to four times as fast as with their vectors.
//!
//! The unit multiplies tiles: 16 rows of 64 bytes. Sums are integers, so they are those of the other kernels to the last bit.

#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), path = "no_amx.rs")]
mod amx;

const TILE_ROWS: usize = 16;
const TILE_COLUMNS: usize = 16;
const TILE_BYTES: usize = 64;
/// A row of a tile of weights has this many inputs of every column.
const INPUTS_TOGETHER: usize = TILE_BYTES / TILE_COLUMNS;
/// Four tiles of sums are made at a time; their inputs fill the other four that a processor has.
const PANEL_TILES: usize = 4;
const PANEL_COLUMNS: usize = PANEL_TILES * TILE_COLUMNS;

/// Weights of `inputs x outputs`: panels of 64 columns one after the other, each as rows of four tiles.
pub(super) struct TileWeights {
    shape: [usize; 2],
    bytes: Vec<i8>,
}

impl TileWeights {
    /// `None` where the processor has no tiles, the system does not let us use them, or the shape is not a multiple of theirs.
    pub(super) fn pack(weights: &[i8], [inputs, outputs]: [usize; 2]) -> Option<Self> {
        if !fits_tiles([inputs, outputs]) || !amx::is_permitted() {
            return None;
        }
        assert_eq!(weights.len(), inputs * outputs);
        let mut bytes = vec![0; weights.len()];
        for (number, row) in bytes.chunks_exact_mut(TILE_BYTES).enumerate() {
            let (tile, tile_row) = (number / TILE_ROWS, number % TILE_ROWS);
            let (place, tile) = (tile / PANEL_TILES, tile % PANEL_TILES);
            let (panel, depth) = (place / (inputs / TILE_BYTES), place % (inputs / TILE_BYTES));
            let column = panel * PANEL_COLUMNS + tile * TILE_COLUMNS;
            let input = depth * TILE_BYTES + tile_row * INPUTS_TOGETHER;
            interleave(&weights[input * outputs + column..], outputs, row);
        }
        Some(Self { shape: [inputs, outputs], bytes })
    }

    /// Writes a row of sums for each row of `bytes`.
    pub(super) fn multiply(&self, bytes: &[u8], sums: &mut [i32]) {
        amx::multiply(self.shape, &self.bytes, bytes, sums);
    }
}

fn fits_tiles([inputs, outputs]: [usize; 2]) -> bool {
    inputs.is_multiple_of(TILE_BYTES) && outputs.is_multiple_of(PANEL_COLUMNS)
}

/// Fills a row of a tile: of each column the weights of four inputs, which are `outputs` apart.
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

    /// Where there are no tiles, there is nothing to test.
    #[test]
    fn sums_are_exact_for_any_number_of_rows() {
        let [inputs, outputs] = [128, 192];
        let weights: Vec<i8> = (0..inputs * outputs).map(|n| (n * 7919 % 255) as u8 as i8).collect();
        let Some(packed) = TileWeights::pack(&weights, [inputs, outputs]) else { return };
        for rows in 0..=33 {
            let bytes: Vec<u8> = (0..rows * inputs).map(|n| (n * 104_729 % 256) as u8).collect();
            let mut sums = vec![0; rows * outputs];
            packed.multiply(&bytes, &mut sums);
            for (cell, sum) in sums.iter().enumerate() {
                let row = &bytes[cell / outputs * inputs..][..inputs];
                let column = weights[cell % outputs..].iter().step_by(outputs);
                let exact: i32 = row.iter().zip(column).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
                assert_eq!(*sum, exact, "{rows} rows, cell {cell}");
            }
        }
    }

    #[test]
    fn shapes_that_are_no_multiple_of_tiles_are_left_to_others() {
        assert!(TileWeights::pack(&[1; 100 * 64], [100, 64]).is_none());
        assert!(TileWeights::pack(&[1; 64 * 100], [64, 100]).is_none());
    }
}
