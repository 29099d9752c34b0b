//! Compiles every grammar without its parse tables, and packs the tables separately.
//!
//! The compiled tables of all grammars take 41 MB, the packed ones 3 MB. The grammar crates are linked into this
//! build script, which reads the tables from its own memory ([`tables`]). Their C code is then compiled again without
//! the tables ([`lexer`]). For `src/lib.rs`, one line per grammar is generated.

mod catalogue;
mod lexer;
mod packages;
mod scanner;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use catalogue::{CATALOGUE, Entry};
use packages::Packages;

#[allow(clippy::print_stdout)] // Build scripts send instructions to cargo on stdout.
fn main() {
    println!("cargo::rerun-if-changed=build");
    assert_same_byte_order();
    let out = PathBuf::from(variable("OUT_DIR"));
    let packages = Packages::locate();
    let objects = Mutex::new(Vec::new());
    in_parallel(CATALOGUE, |entry| {
        let built = build(entry, &packages, &out);
        objects.lock().expect("no thread panics while it adds objects").extend(built);
    });
    archive(objects.into_inner().expect("all threads have ended"));
    let declarations: String = CATALOGUE.iter().map(declaration).collect();
    write(&out.join("grammars.rs"), declarations.as_bytes());
}

/// Compiles a grammar's lexer and packs its tables. Does nothing for a grammar whose feature is off.
fn build(entry: &Entry, packages: &Packages, out: &Path) -> Vec<PathBuf> {
    let Some(language) = entry.language else { return Vec::new() };
    write(&out.join(format!("{}.tables", entry.name)), &tables::pack(language));
    lexer::compile(entry, &packages.folder(entry.package).join(entry.folder), out)
}

/// Creates one library of all objects, sorted so that two builds of one commit have the same bytes, whichever grammar compiles
/// first.
fn archive(mut objects: Vec<PathBuf>) {
    objects.sort();
    if !objects.is_empty() {
        cc::Build::new().objects(objects).compile("vectorcode-grammars");
    }
}

/// The generated line for a grammar in `src/lib.rs`.
fn declaration(entry: &Entry) -> String {
    let Entry { name, language, .. } = entry;
    let constant = name.to_uppercase();
    match language {
        Some(_) => format!("grammar!({constant}, tree_sitter_{name}, \"{name}.tables\");\n"),
        None => format!("grammar!({constant});\n"),
    }
}

/// The tables are packed in the byte order of this process, so host and target must have the same.
fn assert_same_byte_order() {
    let host = if cfg!(target_endian = "little") { "little" } else { "big" };
    let target = variable("CARGO_CFG_TARGET_ENDIAN");
    assert_eq!(target, host, "grammars must be packed on a machine of the target's byte order");
}

fn in_parallel<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let remaining = Mutex::new(items.iter());
    let next = || remaining.lock().ok()?.next();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(item) = next() {
                    work(item);
                }
            });
        }
    });
}

fn write(path: &Path, content: &[u8]) {
    fs::write(path, content).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
