//! A pack: vectors, keyed by their texts.
//!
//! Compressed with zstd: a magic number, the dimensions and the count (32 bits, little-endian), all keys in order, then all
//! vectors with 8 bits per component. Keys are sorted, so that two pushes make identical packs from identical vectors.

use std::collections::BTreeMap;

use vectorcode_core::{TextKey, quantize};

use crate::TeamError;
use crate::vectors::compression::{compress, decompress};

const MAGIC: &[u8; 8] = b"vcpack1\0";
const HEADER_BYTES: usize = 16;
/// Maximum uncompressed size of a new pack: 16 MiB are 40,000 vectors of 384 dimensions.
const MAX_RAW_BYTES: usize = 16 << 20;
/// Larger packs are rejected, compressed or decompressed.
pub(crate) const MAX_BYTES: u64 = 32 << 20;

/// Maximum number of vectors of this length in a pack.
pub(crate) fn capacity(dimensions: usize) -> usize {
    ((MAX_RAW_BYTES - HEADER_BYTES) / (TextKey::BYTES + dimensions)).max(1)
}

/// Encodes a pack. Vectors of another length are left out.
pub(crate) fn encode(vectors: &BTreeMap<TextKey, Vec<f32>>, dimensions: usize) -> Result<Vec<u8>, TeamError> {
    let vectors: Vec<_> = vectors.iter().filter(|(_, vector)| vector.len() == dimensions).collect();
    let mut raw = Vec::with_capacity(HEADER_BYTES + vectors.len() * (TextKey::BYTES + dimensions));
    raw.extend_from_slice(MAGIC);
    raw.extend_from_slice(&(dimensions as u32).to_le_bytes());
    raw.extend_from_slice(&(vectors.len() as u32).to_le_bytes());
    for (key, _) in &vectors {
        raw.extend_from_slice(&key.0);
    }
    for (_, vector) in &vectors {
        raw.extend(quantize::as_blob(&quantize::to_int8(vector)));
    }
    compress(&raw).map_err(|error| TeamError::bad_bundle("A pack", error.to_string()))
}

/// The name of a pack: the hash of its bytes.
pub(crate) fn id(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Decodes the vectors of a pack and normalises them to length 1. Vectors without a direction are left out.
pub(crate) fn decode(bytes: &[u8], dimensions: usize) -> Result<Vec<(TextKey, Vec<f32>)>, TeamError> {
    let bad = |problem: &str| TeamError::bad_bundle("A pack", problem);
    let raw = decompress(bytes, MAX_BYTES as usize).map_err(|problem| bad(&problem))?;
    let header = raw.first_chunk::<HEADER_BYTES>().filter(|header| header.starts_with(MAGIC));
    let header = header.ok_or_else(|| bad("it does not begin with the right magic number"))?;
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (length, count) = (number(8) as usize, number(12) as usize);
    if length != dimensions || dimensions == 0 {
        return Err(bad(&format!("its vectors have {length} dimensions, not {dimensions}")));
    }
    let body = &raw[HEADER_BYTES..];
    if count.checked_mul(TextKey::BYTES + dimensions) != Some(body.len()) {
        return Err(bad("its length does not match its header"));
    }
    let (keys, vectors) = body.split_at(count * TextKey::BYTES);
    let keys = keys.as_chunks::<{ TextKey::BYTES }>().0.iter();
    let vectors = vectors.chunks_exact(dimensions).map(quantize::from_blob);
    let has_direction = |(_, vector): &(_, Vec<i8>)| vector.iter().any(|component| *component != 0);
    let vectors = keys.zip(vectors).filter(has_direction);
    Ok(vectors.map(|(key, vector)| (TextKey(*key), quantize::to_unit_f32(&vector))).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vectors(count: u8) -> BTreeMap<TextKey, Vec<f32>> {
        (0..count).map(|n| (TextKey([n; 16]), vec![f32::from(n) - 3.5, 1.0, -0.5, 0.25])).collect()
    }

    #[test]
    fn a_pack_is_read_as_it_was_written() {
        let made = vectors(9);
        let bytes = encode(&made, 4).unwrap();
        let read = decode(&bytes, 4).unwrap();
        assert_eq!(
            read.iter().map(|(key, _)| *key).collect::<Vec<_>>(),
            made.keys().copied().collect::<Vec<_>>()
        );
        for ((_, found), expected) in read.iter().zip(made.values()) {
            let cosine: f32 = found.iter().zip(expected).map(|(a, b)| a * b).sum::<f32>()
                / expected.iter().map(|x| x * x).sum::<f32>().sqrt();
            assert!(cosine > 0.999, "{found:?} {expected:?}");
        }
        let again: BTreeMap<TextKey, Vec<f32>> = read.into_iter().collect();
        assert_eq!(encode(&again, 4).unwrap(), bytes, "nothing is lost on the way");
    }

    #[test]
    fn vectors_of_another_space_are_refused() {
        let error = decode(&encode(&vectors(2), 4).unwrap(), 8).unwrap_err();
        assert!(error.to_string().contains("4 dimensions, not 8"), "{error}");
        assert!(decode(&encode(&vectors(2), 5).unwrap(), 5).unwrap().is_empty());
    }

    #[test]
    fn a_vector_without_direction_is_no_vector() {
        let zero = BTreeMap::from([(TextKey([1; 16]), vec![0.0; 4])]);
        assert!(decode(&encode(&zero, 4).unwrap(), 4).unwrap().is_empty());
    }

    #[test]
    fn a_full_pack_can_be_read() {
        for dimensions in [1, 384, 3072, 1 << 24] {
            assert!(HEADER_BYTES + capacity(dimensions) * (16 + dimensions) <= MAX_BYTES as usize);
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_more_than_an_error(raw in prop::collection::vec(any::<u8>(), 0..200), cut in 0usize..80) {
            let _ = decode(&raw, 4);
            let mut body = MAGIC.to_vec();
            body.extend(&raw);
            let packed = compress(&body).unwrap();
            let _ = decode(&packed, 4);
            let sound = encode(&vectors(5), 4).unwrap();
            prop_assert!(decode(&sound[..cut.min(sound.len() - 1)], 4).is_err());
        }
    }
}
