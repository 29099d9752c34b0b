//! Reads the model file of the bundled transformer.
//!
//! crates.io accepts at most 10 MB per crate, so the published crate has no model file. `scripts/package.sh` replaces this source
//! file with one that assembles the model from two other crates.

use std::fs;

const MODEL: &str = "models/code-minilm-l4/model.onnx";

#[allow(clippy::print_stdout)] // Build scripts send their instructions to cargo on stdout.
pub(crate) fn read() -> Vec<u8> {
    println!("cargo::rerun-if-changed={MODEL}");
    fs::read(MODEL).expect("the model can be read")
}
