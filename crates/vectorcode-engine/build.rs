//! Compresses `models/translations.txt` to a third of its size, for `search/translate/table.rs`. In blocks, because
//! decompressing a whole language takes longer than the rest of a search.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;

const WORDS: &str = "models/translations.txt";
const BLOCK_BYTES: usize = 4 << 10;

#[allow(clippy::print_stdout)] // Build scripts talk to cargo through stdout.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={WORDS}");
    let text = fs::read_to_string(WORDS).expect("the words can be read");
    let (header, body) = text.split_once('\n').expect("the first line says where the sections are");
    let fields: Vec<&str> = header.split(' ').collect();
    let (mut tables, mut packed) = (String::from("[\n"), Vec::new());
    for section in fields.chunks_exact(3) {
        let place = |at: usize| section[at].parse::<usize>().expect("a place is a number");
        tables += &table(section[0], &body[place(1)..place(2)], &mut packed);
    }
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(Path::new(&out).join(name), bytes).expect("the tables can be written");
    };
    write("translations.rs", (tables + "]").as_bytes());
    write("translations.packed", &packed);
}

/// The entry of one language in the array of tables.
fn table(language: &str, section: &str, packed: &mut Vec<u8>) -> String {
    let mut parts = section.splitn(3, '\n');
    let mut part = || parts.next().expect("the recipe writes three parts");
    let (endings, beginnings, lines) = (part(), part(), part());
    let mut blocks = String::new();
    for block in blocks_of(lines) {
        let first = block.split([' ', '\n']).next().expect("a block has a line");
        let start = packed.len();
        let mut encoder = DeflateEncoder::new(&mut *packed, Compression::best());
        encoder.write_all(block.as_bytes()).and_then(|()| encoder.finish()).expect("a vector takes bytes");
        write!(blocks, "({first:?}, {}), ", packed.len() - start).expect("a string takes text");
    }
    format!("({language:?}, {endings:?}, {beginnings:?}, &[{blocks}]),\n")
}

/// Splits text into blocks of whole lines, without the line break at the end of a block.
fn blocks_of(mut lines: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        if lines.is_empty() {
            return None;
        }
        let from = lines.floor_char_boundary(BLOCK_BYTES.min(lines.len()));
        let end = lines[from..].find('\n').map_or(lines.len(), |at| from + at);
        let block = &lines[..end];
        lines = lines.get(end + 1..).unwrap_or_default();
        Some(block)
    })
}
