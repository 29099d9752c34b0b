//! The second half of `code-minilm-l4`, the transformer that is bundled with vectorcode.
//!
//! In the repository the half is an empty file: the model is one file there, in `crates/vectorcode-embed/models`, and
//! `scripts/package.sh` cuts it in two where crates are packaged.

/// Bytes of an ONNX file.
pub const PART: &[u8] = include_bytes!("../model.part");
