//! Reads the bundled transformer.
//!
//! The registry takes at most 10 MB per crate, so the published crate has no model file. `scripts/package.sh` replaces this file by
//! one that joins the model from two other crates.

use std::fs;

const MODEL: &str = "models/code-minilm-l4/model.onnx";

#[allow(clippy::print_stdout)] // How a build script speaks to cargo.
pub(crate) fn read() -> Vec<u8> {
    println!("cargo::rerun-if-changed={MODEL}");
    fs::read(MODEL).expect("the model can be read")
}
