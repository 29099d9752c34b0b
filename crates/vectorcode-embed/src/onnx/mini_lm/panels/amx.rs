//! Matrix products with AMX, in inline assembly because stable Rust has no intrinsics for it. A process must ask Linux for
//! permission to use tiles, because they make its saved registers 8 kB larger.
#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::{__cpuid, __cpuid_count};
use std::sync::LazyLock;

use super::{PANEL_TILES, PanelWeights, Strip, TILE_BYTES, TILE_ROWS};

const TILES: usize = 8;

/// The operand of `ldtilecfg`: the size of every tile.
#[repr(C, align(64))]
struct TileConfig {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// Whether the processor has int8 tiles and the operating system lets this process use them.
pub(super) fn is_permitted() -> bool {
    static PERMITTED: LazyLock<bool> = LazyLock::new(|| has_tiles_of_bytes() && ask_for_permission());
    *PERMITTED
}

fn has_tiles_of_bytes() -> bool {
    const AMX_TILE: u32 = 1 << 24;
    const AMX_INT8: u32 = 1 << 25;
    const FEATURES: u32 = 7;
    __cpuid(0).eax >= FEATURES
        && __cpuid_count(FEATURES, 0).edx & (AMX_TILE | AMX_INT8) == AMX_TILE | AMX_INT8
}

fn ask_for_permission() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_ulong = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_ulong = 18;
    // SAFETY: the call takes two integers and changes nothing but the permissions of this process.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

/// Writes a row of sums for each row of `bytes`.
pub(super) fn multiply(weights: &PanelWeights, bytes: &[u8], sums: &mut [i32]) {
    assert!(is_permitted());
    let mut configured_rows = 0;
    weights.for_each_strip(TILE_ROWS, bytes, sums, |strip| {
        if strip.rows() != configured_rows {
            configured_rows = strip.rows();
            configure_tiles(configured_rows);
        }
        // SAFETY: the tiles are configured for this number of rows.
        unsafe { multiply_strip(strip) };
    });
    // SAFETY: the instruction only discards the tiles, which then need not be saved on a context switch.
    unsafe { asm!("tilerelease", options(nostack, nomem)) };
}

/// Tiles 0 to 3 hold sums and tile 4 holds activations, each with `rows` rows; 5 to 7 hold weights.
fn configure_tiles(rows: usize) {
    let mut config =
        TileConfig { palette: 1, start_row: 0, reserved: [0; 14], row_bytes: [0; 16], rows: [0; 16] };
    config.row_bytes[..TILES].fill(TILE_BYTES as u16);
    config.rows[..TILES].fill(TILE_ROWS as u8);
    config.rows[..=PANEL_TILES].fill(rows as u8);
    // SAFETY: the configuration has the layout and the values that palette 1 requires, and the compiler uses no tiles that the
    // instruction could change.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const config, options(nostack, readonly)) };
}

/// Writes 64 columns of sums.
///
/// # Safety
/// Tiles must be configured for the rows of the strip.
unsafe fn multiply_strip(strip: Strip<'_>) {
    let Strip { bytes, panel, inputs, sums, outputs } = strip;
    // SAFETY: the caller has configured the tiles. All eight are declared as clobbered.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "tileloadd tmm4, [{bytes} + {inputs}]",
            "tileloadd tmm5, [{panel} + {row_bytes}]",
            "tileloadd tmm6, [{panel} + {row_bytes} + 1024]",
            "tileloadd tmm7, [{panel} + {row_bytes} + 2048]",
            "tdpbusd tmm0, tmm4, tmm5",
            "tileloadd tmm5, [{panel} + {row_bytes} + 3072]",
            "tdpbusd tmm1, tmm4, tmm6",
            "tdpbusd tmm2, tmm4, tmm7",
            "tdpbusd tmm3, tmm4, tmm5",
            "add {bytes}, 64",
            "add {panel}, 4096",
            "dec {depth}",
            "jnz 2b",
            "tilestored [{sums} + {outputs}], tmm0",
            "tilestored [{sums} + {outputs} + 64], tmm1",
            "tilestored [{sums} + {outputs} + 128], tmm2",
            "tilestored [{sums} + {outputs} + 192], tmm3",
            bytes = inout(reg) bytes.as_ptr() => _,
            panel = inout(reg) panel.as_ptr() => _,
            depth = inout(reg) inputs / TILE_BYTES => _,
            sums = in(reg) sums.as_mut_ptr(),
            inputs = in(reg) inputs,
            outputs = in(reg) outputs * size_of::<i32>(),
            row_bytes = in(reg) TILE_BYTES,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}
