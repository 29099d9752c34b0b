//! A canonical prefix code for bytes: the lengths of the codes determine the codes. The build script encodes with it, and the
//! word table decodes with it.

pub(crate) const SYMBOLS: usize = 256;
/// Maximum bits of a code. The decoding table has an entry for every value of this many bits: 8 KB, which stay in the L1 cache.
pub(crate) const LONGEST_CODE: u32 = 12;

/// The code of each byte, its first bit in the lowest position, and its length.
pub(crate) struct PrefixCode([(u16, u8); SYMBOLS]);

impl PrefixCode {
    /// `lengths` holds the length of the code of each byte; 0 for a byte without a code.
    pub(crate) fn new(lengths: &[u8; SYMBOLS]) -> Self {
        let mut by_length: Vec<usize> = (0..SYMBOLS).filter(|symbol| lengths[*symbol] > 0).collect();
        by_length.sort_by_key(|symbol| lengths[*symbol]);
        let mut codes = [(0, 0); SYMBOLS];
        let (mut next, mut length) = (0_u16, 0);
        for symbol in by_length {
            next <<= lengths[symbol] - length;
            length = lengths[symbol];
            codes[symbol] = (next.reverse_bits() >> (16 - length), length);
            next += 1;
        }
        Self(codes)
    }

    pub(crate) fn of(&self, symbol: u8) -> (u16, u8) {
        self.0[usize::from(symbol)]
    }
}
