//! zstd with a limit on the decompressed size: a few bytes can expand to terabytes.

use std::io::Read;

/// The default of zstd. Vectors compress poorly: level 19 saves one percent more and takes forty times as long.
const LEVEL: i32 = 3;

pub(crate) fn compress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    zstd::stream::encode_all(bytes, LEVEL)
}

/// Decompresses `bytes`; fails if the result is larger than `limit`.
pub(crate) fn decompress(bytes: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    let mut expanded = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(bytes).map_err(|error| error.to_string())?;
    let read =
        decoder.take(limit as u64 + 1).read_to_end(&mut expanded).map_err(|error| error.to_string())?;
    if read > limit { Err(format!("it expands to more than {limit} bytes")) } else { Ok(expanded) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_expands_too_far_is_refused() {
        let bomb = compress(&vec![0; 1 << 20]).unwrap();
        assert!(bomb.len() < 1_000);
        assert_eq!(decompress(&bomb, 1 << 20).unwrap().len(), 1 << 20);
        assert!(decompress(&bomb, (1 << 20) - 1).unwrap_err().contains("expands"));
        assert!(decompress(&bomb[..bomb.len() / 2], 1 << 20).is_err());
    }
}
