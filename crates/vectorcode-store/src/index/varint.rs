//! Variable-length integers (LEB128): seven bits per byte, lowest first; the high bit says that more bytes follow.

pub(crate) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number and advances `bytes` past it. `None` if the bytes end within it or it does not fit.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0_u32);
    loop {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f).checked_shl(shift)?;
        if *first < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

/// Writes the length of the slice, then the slice.
pub(crate) fn push_slice(bytes: &mut Vec<u8>, slice: &[u8]) {
    push(bytes, slice.len() as u64);
    bytes.extend_from_slice(slice);
}

/// Reads what [`push_slice`] wrote and advances `bytes` past it. `None` as in [`take`].
pub(crate) fn take_slice<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = usize::try_from(take(bytes)?).ok()?;
    bytes.split_off(..length)
}
