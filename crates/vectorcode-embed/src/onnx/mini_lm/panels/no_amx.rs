//! The substitute for `amx` on processors and operating systems without it.

use super::PanelWeights;

pub(super) fn is_permitted() -> bool {
    false
}

pub(super) fn multiply(_: &PanelWeights, _: &[u8], _: &mut [i32]) {
    unreachable!("without permission no weights are packed for tiles");
}
