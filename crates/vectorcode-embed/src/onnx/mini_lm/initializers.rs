//! Finds the weights in an ONNX file without copying them.
//!
//! The file is a protocol buffer; this reads the few fields that lead to the graph's initialisers and steps over
//! the rest. The word table of the bundled model thus stays in the binary's own pages.

use rustc_hash::FxHashMap;

// Field numbers of `onnx.proto`.
const MODEL_GRAPH: u64 = 7;
const GRAPH_INITIALIZER: u64 = 5;
const TENSOR_FLOAT_DATA: u64 = 4;
const TENSOR_INT32_DATA: u64 = 5;
const TENSOR_NAME: u64 = 8;
const TENSOR_RAW_DATA: u64 = 9;

/// Every initialiser's bytes by its name. Floats are little-endian; integers of the `int32_data` field are varints.
pub(super) struct Initializers<'a>(FxHashMap<&'a str, &'a [u8]>);

impl<'a> Initializers<'a> {
    pub(super) fn parse(model: &'a [u8]) -> Result<Self, String> {
        let mut tensors = FxHashMap::default();
        for graph in blocks(model, MODEL_GRAPH) {
            for tensor in blocks(graph?, GRAPH_INITIALIZER) {
                let (name, data) = tensor_data(tensor?)?;
                tensors.insert(name, data);
            }
        }
        Ok(Self(tensors))
    }

    /// The bytes of the tensor `name`, which must be `length` long.
    pub(super) fn bytes(&self, name: &str, length: usize) -> Result<&'a [u8], String> {
        match self.0.get(name) {
            Some(bytes) if bytes.len() == length => Ok(bytes),
            Some(bytes) => Err(format!("tensor {name} has {} bytes instead of {length}", bytes.len())),
            None => Err(format!("tensor {name} is missing")),
        }
    }

    /// The values of the float tensor `name`, which must have `length` of them.
    pub(super) fn floats(&self, name: &str, length: usize) -> Result<Vec<f32>, String> {
        let bytes = self.bytes(name, 4 * length)?;
        Ok(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    /// The single value of the integer tensor `name`.
    pub(super) fn integer(&self, name: &str) -> Result<u64, String> {
        let value = self.0.get(name).and_then(|bytes| Fields(bytes).varint());
        value.ok_or_else(|| format!("tensor {name} is missing"))
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

/// The fields of a message with their numbers; those that are not blocks of bytes come as empty ones.
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
        let tensors = Initializers::parse(&model).unwrap();
        assert_eq!(tensors.floats("bias", 1).unwrap(), [1.5]);
        assert!(tensors.floats("bias", 2).unwrap_err().contains("4 bytes instead of 8"));
        assert!(tensors.floats("gain", 1).unwrap_err().contains("gain is missing"));
    }

    #[test]
    fn a_file_cut_short_is_an_error() {
        let model = model();
        for length in 1..model.len() {
            assert!(Initializers::parse(&model[..length]).is_err(), "{length}");
        }
    }
}
