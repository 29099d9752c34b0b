//! Puts the bundled transformer where `src/onnx` includes it from.
//!
//! A crate of the registry may have 10 MB, so the published crate comes without the model and has another build script, which
//! joins it from two crates with a half each: `scripts/package.sh` writes all three.

use std::path::Path;
use std::{env, fs};

const MODEL: &str = "models/code-minilm-l4/model.onnx";

#[allow(clippy::print_stdout)] // How a build script speaks to cargo.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={MODEL}");
    let target = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("model.onnx");
    fs::copy(MODEL, target).expect("the model can be copied");
}
