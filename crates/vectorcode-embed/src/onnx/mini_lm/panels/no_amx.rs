//! Processors and systems on which tiles are not used.

use super::TileRow;

pub(super) fn is_permitted() -> bool {
    false
}

pub(super) fn multiply(_: [usize; 2], _: &[TileRow], _: &[u8], _: &mut [i32]) {
    unreachable!("without permission no weights are packed for tiles");
}
