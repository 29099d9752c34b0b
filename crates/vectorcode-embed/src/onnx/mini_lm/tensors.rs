//! The tensors of the bundled model, which the build script extracts from the ONNX file. They are part of the binary.

pub(crate) static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tensors.bin"));
/// The name of each tensor and its end in [`BYTES`], sorted by name; the tensors in `BYTES` have the same order.
#[allow(clippy::unreadable_literal)] // Written by the build script.
static ENDS: &[(&str, usize)] = &include!(concat!(env!("OUT_DIR"), "/tensors.rs"));

/// The bytes of the tensor `name`.
pub(super) fn bytes(name: &str) -> Result<&'static [u8], String> {
    let index = ENDS.binary_search_by_key(&name, |(name, _)| name);
    let index = index.map_err(|_| format!("tensor {name} is missing"))?;
    let start = index.checked_sub(1).map_or(0, |before| ENDS[before].1);
    Ok(&BYTES[start..ENDS[index].1])
}

/// The bytes of the tensor `name`, which must be `length` long.
pub(super) fn sized_bytes(name: &str, length: usize) -> Result<&'static [u8], String> {
    let bytes = bytes(name)?;
    if bytes.len() == length {
        return Ok(bytes);
    }
    Err(format!("tensor {name} has {} bytes instead of {length}", bytes.len()))
}

/// The values of the float tensor `name`, which must have `length` of them.
pub(super) fn floats(name: &str, length: usize) -> Result<Vec<f32>, String> {
    let bytes = sized_bytes(name, 4 * length)?;
    Ok(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

/// The value of the tensor `name`, which must be a single byte.
pub(super) fn byte(name: &str) -> Result<u8, String> {
    Ok(sized_bytes(name, 1)?[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_that_is_missing_or_of_another_size_is_an_error() {
        assert_eq!(floats("embeddings.LayerNorm.g", 384).unwrap().len(), 384);
        assert!(floats("embeddings.LayerNorm.g", 2).unwrap_err().contains("1536 bytes instead of 8"));
        assert!(floats("embeddings", 1).unwrap_err().contains("embeddings is missing"));
    }
}
