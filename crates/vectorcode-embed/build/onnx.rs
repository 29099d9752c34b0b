//! Finds the tensors in an ONNX file.
//!
//! The file is a protocol buffer. This reads the few fields that lead to the initialisers of the graph and skips the rest.

use std::collections::BTreeMap;

// Field numbers of `onnx.proto`.
const MODEL_GRAPH: u64 = 7;
const GRAPH_INITIALIZER: u64 = 5;
const TENSOR_FLOAT_DATA: u64 = 4;
const TENSOR_INT32_DATA: u64 = 5;
const TENSOR_NAME: u64 = 8;
const TENSOR_RAW_DATA: u64 = 9;

/// The bytes of each initialiser, by name. Floats are little-endian; the integers of the field `int32_data` are varints, so
/// values below 128 are single bytes.
#[derive(Debug)]
pub(crate) struct Tensors<'a>(BTreeMap<&'a str, &'a [u8]>);

impl<'a> Tensors<'a> {
    pub(crate) fn parse(model: &'a [u8]) -> Result<Self, String> {
        let mut tensors = BTreeMap::default();
        for graph in blocks(model, MODEL_GRAPH) {
            for tensor in blocks(graph?, GRAPH_INITIALIZER) {
                let (name, data) = tensor_data(tensor?)?;
                tensors.insert(name, data);
            }
        }
        Ok(Self(tensors))
    }

    pub(crate) fn into_bytes(self) -> BTreeMap<&'a str, Vec<u8>> {
        self.0.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect()
    }
}

fn tensor_data(tensor: &[u8]) -> Result<(&str, &[u8]), String> {
    let (mut name, mut data) = ("", &[][..]);
    for field in Fields(tensor) {
        match field? {
            (TENSOR_NAME, bytes) => name = std::str::from_utf8(bytes).map_err(|error| error.to_string())?,
            (TENSOR_RAW_DATA | TENSOR_FLOAT_DATA | TENSOR_INT32_DATA, bytes) => data = bytes,
            _ => {}
        }
    }
    Ok((name, data))
}

fn blocks(message: &[u8], wanted: u64) -> impl Iterator<Item = Result<&[u8], String>> {
    Fields(message).filter_map(move |field| match field {
        Ok((number, bytes)) => (number == wanted).then_some(Ok(bytes)),
        Err(problem) => Some(Err(problem)),
    })
}

/// The fields of a message with their numbers. Fields that are not length-delimited have empty bytes.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn next_field(&mut self) -> Option<(u64, &'a [u8])> {
        let key = self.varint()?;
        let bytes = match key & 7 {
            0 => self.varint().map(|_| &[][..]),
            1 => self.take(8).map(|_| &[][..]),
            2 => self.varint().and_then(|length| self.take(usize::try_from(length).ok()?)),
            5 => self.take(4).map(|_| &[][..]),
            _ => None,
        }?;
        Some((key >> 3, bytes))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, &'a [u8]), String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.next_field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or_else(|| "the file is cut short or is not ONNX".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of bytes as field `number`.
    fn block(number: u8, content: &[u8]) -> Vec<u8> {
        let mut message = vec![number << 3 | 2, content.len() as u8];
        message.extend(content);
        message
    }

    fn model() -> Vec<u8> {
        let tensor = [block(8, b"bias"), vec![1 << 3, 2], block(9, &1.5_f32.to_le_bytes())].concat();
        block(7, &block(5, &tensor))
    }

    #[test]
    fn finds_a_tensor_by_name() {
        let model = model();
        let tensors = Tensors::parse(&model).unwrap().into_bytes();
        assert_eq!(tensors["bias"], 1.5_f32.to_le_bytes());
        assert!(!tensors.contains_key("gain"));
    }

    #[test]
    fn a_file_cut_short_is_an_error() {
        let model = model();
        for length in 1..model.len() {
            assert!(Tensors::parse(&model[..length]).is_err(), "{length}");
        }
    }
}
