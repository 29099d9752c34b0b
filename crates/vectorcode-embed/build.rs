//! Puts the bundled transformer where `src/onnx` includes it from.
//!
//! The repository has the model as one file. A crate of the registry may have 10 MB, so the published crate comes without the
//! file and joins it again from two crates with a half each, which `scripts/package.sh` fills.

use std::path::Path;
use std::{env, fs};

const MODEL: &str = "models/code-minilm-l4/model.onnx";

#[allow(clippy::print_stdout)] // How a build script speaks to cargo.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("model.onnx");
    if Path::new(MODEL).is_file() {
        println!("cargo::rerun-if-changed={MODEL}");
        fs::copy(MODEL, target).expect("the model can be copied");
        return;
    }
    let parts = [vectorcode_model_part1::PART, vectorcode_model_part2::PART];
    assert!(
        parts.iter().all(|part| !part.is_empty()),
        "a part of the model is empty: publish with scripts/package.sh"
    );
    fs::write(target, parts.concat()).expect("the model can be written");
}
