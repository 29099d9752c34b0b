//! Extracts the tensors from the bundled transformer's ONNX file, for `src/onnx/mini_lm/tensors.rs`, and compresses its word
//! table, the largest of them.

mod huffman;
mod model;
mod onnx;
#[path = "../src/onnx/mini_lm/prefix_code.rs"]
mod prefix_code;

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use onnx::Tensors;

const WORDS: &str = "we_quantized";
const WIDTH: usize = 384;

#[allow(clippy::print_stdout)] // Build scripts send their instructions to cargo on stdout.
fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/onnx/mini_lm/prefix_code.rs");
    let file = model::read();
    let mut tensors = Tensors::parse(&file).expect("the bundled model is an ONNX file").into_bytes();
    let words = tensors.remove(WORDS).expect("the bundled model has a word table");
    let packed = huffman::pack_rows(&words, WIDTH);
    tensors.insert("we_packed", packed.rows);
    tensors.insert("we_packed_lengths", packed.row_lengths);
    tensors.insert("we_code_lengths", packed.code_lengths);

    let (mut bytes, mut index) = (Vec::new(), String::from("["));
    for (name, tensor) in &tensors {
        bytes.extend_from_slice(tensor);
        write!(index, "({name:?}, {}), ", bytes.len()).expect("writing to a string cannot fail");
    }
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(Path::new(&out).join(name), bytes).expect("the tensors can be written");
    };
    write("tensors.bin", &bytes);
    write("tensors.rs", (index + "]").as_bytes());
}
